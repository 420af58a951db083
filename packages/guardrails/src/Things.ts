/**
 * What calls do something to, by class and language: as names of tools and requests have it.
 */

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/**
 * What things are called, by class; of the words of a request, one that begins or ends with it, if it is long, says it too.
 *
 * @category constants
 * @since 0.1.0
 */
export const classes: Readonly<Record<string, ReadonlySet<string>>> = {
  message:
    set(`mail mails email emails e-mail message messages dm sms text note reply answer chat channel slack inbox letter summary
    nachricht nachrichten brief postfach courriel message réponse correo mensaje messaggio lettera mensagem bericht wiadomość
    mailem
    newsletter notice conversation thread comment comments correspondence memo notification reminder antwort rundschreiben benachrichtigung schreiben anschreiben kommentar mitteilung courriels lettre avis commentaire relance rappel correos carta aviso comentario boletín mensajes comunicado lettere avviso commento comentário brieven opmerking reactie mailtje komentarz powiadomienie`),
  money:
    set(`money treasury fund funds payment payments transfer transaction transactions amount funds balance invoice bill rent price refund eur euro euros usd
    dollars account iban fee debt share difference deposit salary payout geld rechnung zahlung betrag konto überweisung miete argent
    facture paiement compte montant virement dinero factura pago cuenta importe transferencia denaro fattura pagamento conto
    importo bonifico dinheiro fatura pagamento conta rekening factuur bedrag betaling pieniądze faktura rachunek konto kwota przelew
    wage wages raise bonus compensation grant subsidy donation receipt receipts fees fine charge cost costs prices tariff credit debit cash budget sum cents gehalt lohn gehaltserhöhung prämie zuschuss spende beleg belege gebühr gebühren kosten preis preise guthaben summe salaire prime subvention don reçu frais prix crédit somme loyer salario sueldo bono subvención donación recibo recibos gasto gastos precio precios crédito presupuesto alquiler suma stipendio premio sovvenzione donazione ricevuta spese prezzo credito affitto salário bônus despesa preço aluguel loon salaris subsidie donatie bon prijs huur pensja premia dotacja darowizna paragon opłata cena czynsz disbursement journal ledger sepa`),
  event:
    set(`event events calendar meeting meetings appointment appointments reminder invitation schedule one-on-one call lunch dinner trip
    termin kalender besprechung treffen einladung événement réunion rendez-vous agenda calendrier evento cita reunión calendario
    riunione appuntamento compromisso reunião afspraak vergadering spotkanie wydarzenie kalendarz
    visit viewing session slot slots booking reservation date deadline evening shift termine sitzung besichtigung buchung reservierung frist datum schicht visite séance créneau réservation échéance visita sesión reserva plazo fecha turno citas sessione prenotazione scadenza data sessão prazo bezoek sessie reservering wizyta sesja rezerwacja zajęcia`),
  file:
    set(`file files sheet sheets spreadsheets folha planilha hoja foglio blatt tabelle document documents doc folder directory drive attachment list spreadsheet docx txt path log logs backup
    datei dateien dokument ordner liste fichier fichiers document dossier archivo archivos documento carpeta file cartella
    arquivo pasta bestand bestanden map plik pliki folder dokument
    report reports photo photos picture image images video audio recording contract lease draft scan form slides minutes bericht foto bild bilder vertrag entwurf formular protokoll aufnahme rapport vidéo contrat bail brouillon formulaire enregistrement informe imagen vídeo contrato borrador formulario acta grabación rapporto relazione immagine contratto bozza modulo verbale relatório imagem rascunho formulário verslag beeld concept formulier notulen raport zdjęcie umowa szkic formularz protokół series dockerfile readme csv`),
  person:
    set(`user users member members guest guests participant participants colleague employee customer contact contacts collaborator student patient
    people person attendee friend candidate applicant benutzer gast gäste teilnehmer mitarbeiter kollege kunde kunden utilisateur invité participant
    collègue client usuario invitado participante colega cliente utente ospite partecipante collega usuário convidado gebruiker
    gast deelnemer użytkownik gość uczestnik klient
    owner reader borrower donor driver tenant landlord pupil teacher parent parents staff employees workers traveler passenger passengers vendor supplier buyer seller holder leserin leser fahrer fahrerin mieter mieterin vermieter schüler schülerin lehrer eltern personal mitarbeiterin patientin lieferant käufer kundin nutzer nutzerin spender lectrice conducteur locataire propriétaire élève personnel employé employée fournisseur utilisatrice lector conductor inquilino alumno alumna padres empleado empleada paciente proveedor clienta usuaria conducente alunno alunna genitori personale dipendente paziente fornitore leitor motorista aluno pais funcionário fornecedor lezer bestuurder huurder leerling ouders personeel werknemer patiënt leverancier klant kierowca najemca uczeń rodzice pracownik pacjent dostawca kontakt contacto`),
  access:
    set(`access permission permissions role rights admin key door doors lock read write zugang zugriff rolle rechte schlüssel tür accès rôle
    droits porte acceso rol permisos puerta accesso ruolo porta acesso função toegang rol dostęp rola
    administrator administrators ingress port ports firewall code codes network grant privileges authorization berechtigung berechtigungen freigabe rechten netz netzwerk administratoren autorisation réseau administrateur privilèges autorización red código administrador privilegios autorizzazione rete codice amministratore autorização rede toestemming netwerk beheerder uprawnienia sieć kod`),
  credential:
    set(`password passwords credential credentials token key secret login passcode pin passwort kennwort schlüssel mot clé contraseña
    clave password chiave senha chave wachtwoord sleutel hasło klucz`),
  room: set(`hotel hotels room rooms zimmer raum chambre salle habitación sala camera quarto kamer pokój
    flat apartment studio suite accommodation wohnung unterkunft appartement logement piso apartamento alojamiento appartamento alloggio mieszkanie nocleg booking`),
  seat: set(`table tables restaurant restaurants tisch mesa tavolo tafel stolik seat
    reservation reservations covers plätze platz place places plaza cubiertos posto posti lugar plaats miejsce`),
  flight: set(`flight flights trip flug vol vuelo volo voo vlucht lot
    connection connections segment segments booking pnr itinerary verbindung umbuchung correspondance conexión conexiones connessione ligação verbinding połączenie`),
  car: set(`car cars auto wagen voiture coche carro samochód
    vehicle vehicles van truck fleet fahrzeug lieferwagen lkw camion camionnette véhicule vehículo camión furgoneta veicolo furgone camioncino veículo voertuig vrachtwagen pojazd ciężarówka transport`),
  web:
    set(`website websites webpage webpages page pages url link links site article blog post menu seite webseite artikel page lien site
    article página enlace sitio artículo pagina collegamento articolo link pagina artikel strona artykuł
    feed story stories news headline caption photo comment ad ads campaign campaigns listing beitrag nachrichten anzeige anzeigen kampagne inserat meldung publication annonce annonces campagne nouvelle actualité publicación anuncio anuncios campaña noticia noticias foto annuncio annunci campagna notizia anúncio campanha notícia advertentie nieuws ogłoszenie kampania wiadomości`),
  code:
    set(`repository repo branch pull request issue issues commit code bug merge release workflow pipeline fehler dépôt branche repositorio
    rama ramo repository kod
    build builds job jobs pipelines version versions tests test dockerfile image script tag prüfung compilation versión versiones prueba versione versão versie wersja`),
  deployment: set(`deployment deployments replica replicas workers rollout service bereitstellung déploiement despliegue
    version release stable production environment produktion versión producción produzione produção productie wersja`),
  pod: set("pod pods container containers"),
  cluster: set("cluster namespace node nodes kubernetes"),
  volume: set(`volume volumes disk disks snapshot
    speicher speicherplatz disque disco schijf dysk`),
  machine:
    set(`instance instances machine machines server servers vm maschine rechner serveur máquina servidor macchina maszyna serwer
    host hosts`),
  database: set(`database databases table tables bucket datenbank base
    tabelle tabellen dataset datasets datenbanken tabla tablas tabella tabela disk data daten`),
  order:
    set(`order orders product products item items cart stock purchase bestellung artikel commande produit pedido producto ordine
    prodotto produto encomenda bestelling zamówienie produkt
    basket goods supplies ware waren einkauf marchandise marchandises panier mercancía mercancías compra cesta merce carrello mercadoria compras goederen winkelwagen towar koszyk replacement ersatz`),
  delivery:
    set(`parcel shipment shipping delivery paket lieferung versand lieferadresse colis livraison paquete envío pacco consegna
    spedizione entrega pakket levering verzending paczka dostawa
    package packages container containers freight cargo pickup transport tracking destination label sendung sendungen fracht abholung envoi expédition conteneur fret retrait étiquette envíos contenedor carga recogida etiqueta transporte spedizioni carico ritiro etichetta contentor recolha zending vracht afhaling przesyłka kontener ładunek odbiór etykieta truck`),
  return: set(`return returns returned retoure rücksendung retour devolución reso devolução zwrot
    rma retouren rücksendungen retours devoluciones resi devoluções zwroty`),
  voucher: set("voucher coupon gutschein bon cupón buono vale tegoedbon"),
  ticket: set(`ticket tickets case issue anfrage demande solicitud richiesta
    claim claims complaint schaden schadensfall beschwerde sinistre dossier réclamation siniestro reclamación reclamo sinistro reclamação schade klacht szkoda reklamacja karte karten eintrittskarte billet billets entrada entradas biglietto bilhete kaartje bilet zgłoszenie`),
  task: set("task tasks todo todos aufgabe aufgaben tâche tarea compito tarefa taak zadanie"),
  absence:
    set(`absence leave vacation holiday days off urlaub abwesenheit congé vacaciones permiso ferie férias verlof urlop
    sick sickness krankmeldung krankschreibung fehlzeit arrêt baja ausencia malattia assenza baixa ausência ziekmelding verzuim zwolnienie nieobecność attendance klassenbuch`),
  phone: set(`phone telephone telefon telefonnummer téléphone teléfono telefono telefone telefoon
    mobile sim card calls handynummer mobilfunk karte portable carte móvil tarjeta cellulare carta telemóvel cartão mobiel kaart komórka karta`),
  street: set(`address street city zip postal postcode adresse anschrift dirección indirizzo endereço adres
    destination location place ort anschriften lieu emplacement lugar ubicación luogo posto plaats miejsce`),
  record:
    set(`record records lead note entry profile information details info data eintrag einträge profil fiche informations registro
    datos voce profilo dati dados gegevens dane wpis
    row field feld enregistrement champ campo veld pole`),
  bank: set("bank payout bankverbindung banque banco banca salary gehalt konto iban"),
  owner: set("owner besitzer propriétaire propietario proprietario eigenaar właściciel"),
  medication:
    set(`prescription prescriptions medication medicine drug drugs refill treatment therapy dose rezept verschreibung medikament medikamente
    behandlung ordonnance médicament traitement receta medicamento tratamiento ricetta farmaco medicina terapia receita remédio recept
    medicijn medicatie recepta lek`),
  contract:
    set(`contract contracts lease agreement envelope signature clause policy vertrag mietvertrag vereinbarung unterschrift klausel contrat bail
    accord signature contrato acuerdo firma cláusula contratto accordo firma acordo assinatura contract overeenkomst handtekening umowa
    podpis draft entwurf brouillon borrador`),
  domain:
    set(`dns domain domains nameserver nameservers zone record records subdomain txt cname host domäne domaine enregistrement dominio registro
    dominio domínio domein domena`),
  course:
    set(`course courses class classes lesson student students grade grades exam exams kurs kurse klasse unterricht note noten prüfung cours classe
    élève note examen curso clase nota examen corso classe voto esame aula cursus klas cijfer kurs klasa ocena egzamin`),
  book:
    set(`book books loan loans library buch bücher ausleihe ausweis ausweise livre livres prêt carte libro libros préstamo carné prestito
    tessera livro empréstimo boek boeken lening pas książka wypożyczenie karta`),
  card: set("card cards karte karten carte cartes tarjeta tarjetas carta cartão kaart kaarten karta sim fuel ausweis"),
  light:
    set(`light lights lamp lamps bulb licht lichter lampe lampen beleuchtung lumière lumières luz luces lámpara luce luci lampada luzes lâmpada
    verlichting światło światła`),
  heating:
    set(`heating thermostat temperature climate heater degrees radiator heizung heizungen temperatur grad heizkörper klimaanlage
    chauffage température degrés climatisation radiateur calefacción temperatura grados climatización termostato riscaldamento gradi
    aquecimento graus verwarming temperatuur graden ogrzewanie stopni warm`),
  alarm: set("alarm alarms siren alarmanlage alarme alarma allarme alarmsysteem"),
  device:
    set(`device devices switch sensor camera window socket blinds pump entity gerät geräte schalter kamera fenster steckdose rollladen pumpe
    appareil appareils caméra fenêtre prise volet pompe aparato aparatos dispositivo dispositivos cámara ventana enchufe persiana bomba
    apparecchio telecamera finestra presa tapparella pompa aparelho janela tomada apparaat toestel raam stopcontact rolluik pomp urządzenie okno
    gniazdko roleta pompa`)
}
