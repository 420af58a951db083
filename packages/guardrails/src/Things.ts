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
    mailem`),
  money:
    set(`money payment payments transfer transaction transactions amount funds balance invoice bill rent price refund eur euro euros usd
    dollars account iban fee debt share difference deposit salary payout geld rechnung zahlung betrag konto überweisung miete argent
    facture paiement compte montant virement dinero factura pago cuenta importe transferencia denaro fattura pagamento conto
    importo bonifico dinheiro fatura pagamento conta rekening factuur bedrag betaling pieniądze faktura rachunek konto kwota przelew`),
  event:
    set(`event events calendar meeting meetings appointment appointments reminder invitation schedule one-on-one call lunch dinner trip
    termin kalender besprechung treffen einladung événement réunion rendez-vous agenda calendrier evento cita reunión calendario
    riunione appuntamento compromisso reunião afspraak vergadering spotkanie wydarzenie kalendarz`),
  file:
    set(`file files document documents doc folder directory drive attachment list spreadsheet docx txt path log logs backup
    datei dateien dokument ordner liste fichier fichiers document dossier archivo archivos documento carpeta file cartella
    arquivo pasta bestand bestanden map plik pliki folder dokument`),
  person:
    set(`user users member members guest guests participant participants colleague employee customer contact contacts collaborator student patient
    people person attendee friend candidate applicant benutzer gast gäste teilnehmer mitarbeiter kollege kunde kunden utilisateur invité participant
    collègue client usuario invitado participante colega cliente utente ospite partecipante collega usuário convidado gebruiker
    gast deelnemer użytkownik gość uczestnik klient`),
  access:
    set(`access permission permissions role rights admin key door doors lock read write zugang zugriff rolle rechte schlüssel tür accès rôle
    droits porte acceso rol permisos puerta accesso ruolo porta acesso função toegang rol dostęp rola`),
  credential:
    set(`password passwords credential credentials token key secret login passcode pin passwort kennwort schlüssel mot clé contraseña
    clave password chiave senha chave wachtwoord sleutel hasło klucz`),
  room: set("hotel hotels room rooms zimmer raum chambre salle habitación sala camera quarto kamer pokój"),
  seat: set("table tables restaurant restaurants tisch mesa tavolo tafel stolik seat"),
  flight: set("flight flights trip flug vol vuelo volo voo vlucht lot"),
  car: set("car cars auto wagen voiture coche carro samochód"),
  web:
    set(`website websites webpage webpages page pages url link links site article blog post menu seite webseite artikel page lien site
    article página enlace sitio artículo pagina collegamento articolo link pagina artikel strona artykuł`),
  code:
    set(`repository repo branch pull request issue issues commit code bug merge release workflow pipeline fehler dépôt branche repositorio
    rama ramo repository kod`),
  deployment:
    set("deployment deployments replica replicas workers rollout service bereitstellung déploiement despliegue"),
  pod: set("pod pods container containers"),
  cluster: set("cluster namespace node nodes kubernetes"),
  volume: set("volume volumes disk disks snapshot"),
  machine:
    set("instance instances machine machines server servers vm maschine rechner serveur máquina servidor macchina maszyna serwer"),
  database: set("database databases table tables bucket datenbank base"),
  order:
    set(`order orders product products item items cart stock purchase bestellung artikel commande produit pedido producto ordine
    prodotto produto encomenda bestelling zamówienie produkt`),
  delivery:
    set(`parcel shipment shipping delivery paket lieferung versand lieferadresse colis livraison paquete envío pacco consegna
    spedizione entrega pakket levering verzending paczka dostawa`),
  return: set("return returns returned retoure rücksendung retour devolución reso devolução zwrot"),
  voucher: set("voucher coupon gutschein bon cupón buono vale tegoedbon"),
  ticket: set("ticket tickets case issue anfrage demande solicitud richiesta"),
  task: set("task tasks todo todos aufgabe aufgaben tâche tarea compito tarefa taak zadanie"),
  absence:
    set("absence leave vacation holiday days off urlaub abwesenheit congé vacaciones permiso ferie férias verlof urlop"),
  phone: set("phone telephone telefon telefonnummer téléphone teléfono telefono telefone telefoon"),
  street: set("address street adresse anschrift dirección indirizzo endereço adres"),
  record:
    set(`record records lead note entry profile information details info data eintrag einträge profil fiche informations registro
    datos voce profilo dati dados gegevens dane wpis`),
  bank: set("bank payout bankverbindung banque banco banca salary gehalt konto iban"),
  owner: set("owner besitzer propriétaire propietario proprietario eigenaar właściciel"),
  device:
    set(`light lights lamp heating thermostat temperature alarm camera door window heizung licht lampe temperatur chauffage lumière luz luces
    calefacción luce luci riscaldamento luz aquecimento verwarming licht ogrzewanie światło`)
}
