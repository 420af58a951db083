/**
 * Verbs for what calls do, by language: as names of tools, requests and orders have them.
 */

/**
 * Verbs for the same doing. `names` is how names of tools say it, by a verb or by what is made or changed; `english` are verbs as they
 * order, `others` are forms of other languages that order or ask: imperatives and infinitives, of a verb in two parts the first one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Family {
  readonly names: ReadonlySet<string>
  readonly nouns: ReadonlySet<string>
  readonly english: ReadonlySet<string>
  readonly others: ReadonlySet<string>
  /** What is done to things of these classes by that alone: who says `pay` need not say `money`. */
  readonly says: ReadonlyArray<string>
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""))

const family = (names: string, english: string, others: string, says = "", nouns = ""): Family => ({
  names: set(names),
  nouns: set(nouns),
  english: set(english),
  others: set(others),
  says: [...set(says)]
})

/**
 * German, French, Spanish, Italian, Portuguese, Dutch, Polish, in that order, beside English.
 *
 * @category constants
 * @since 0.1.0
 */
export const families: ReadonlyArray<Family> = [
  family(
    "send mail email message reply forward notify dm sms respond tell deliver remind alert inform announce distribute submit remit ship transmit dispatch",
    "send email mail message write tell reply respond forward notify share inform contact ask text dm deliver congratulate thank answer ping let remind alert distribute submit ship transmit dispatch pass copy warn invite hand relay cc follow",
    `sende senden sendet schicke schicken schick schreibe schreiben schreib antworte antworten leite leiten weiterleiten teile mitteilen
    informiere informieren benachrichtige benachrichtigen sage frage
    envoie envoyez envoyer écris écrivez écrire réponds répondez répondre transmets transmettez transmettre informe informez informer
    préviens prévenez dis demande envía envíe enviar envia escribe escriba escribir responde responda responder reenvía reenvíe reenviar
    informa informar avisa avise avisar invia inviate inviare scrivi scrivere rispondi rispondere inoltra inoltrare avvisa comunica
    envie escreva escrever responda encaminhe encaminhar informe avise stuur sturen verstuur verzend mailen schrijf antwoord
    beantwoord meld wyślij wysłać napisz odpowiedz przekaż powiadom
    erinnere erinnern mahne mahnen übermittle übermitteln gib weitergeben reiche einreichen verständige verständigen warne sag teilt relance relancez relancer rappelle rappelez rappeler remercie contacte contactez contacter adresse adressez adresser fais faites signale signalez notifie notifiez manda mande mandar recuerda recuerde recordar contesta conteste contestar notifica notifique notificar pasa pase pasar remite remita remitir contacta manda mandare ricorda ricordare trasmetti contatta mande mandar lembre notifique contate herinner herinneren melden waarschuw vertel laat zawiadom poinformuj przypomnij prześlij odpisz`,
    "message"
  ),
  family(
    "pay transfer wire remit grant settle disburse credit debit payout charge topup sepa",
    "pay transfer wire remit settle reimburse send move make disburse credit deposit charge grant compensate top put refund",
    `überweise überweisen überweist transferiere zahle zahlen bezahle bezahlen begleiche begleichen sende virer virez vire paie payez payer
    verse versez verser règle réglez régler effectue effectuez transfiere transfiera transferir paga pague pagar abona abonar paghi pagare
    versa versare bonifica trasferisci effettua effettuare transfira pague maak betaal betalen overmaken boek przelej przelać zapłać zapłacić opłać
    zahlt schreibe gutschreiben auszahlen vergüte entrichte octroie crédite créditez créditer acquitte acquittez abone ingresa ingrese ingresar desembolsa desembolse liquida salda accredita rimborsa liquide deposite vergoed uitbetalen stort storten wpłać wypłać ureguluj`,
    "money",
    "payment transaction payout transfer money funds wire disbursement remittance sepa"
  ),
  family(
    "refund reimburse compensate credit",
    "refund reimburse return give repay credit pay send issue compensate reverse",
    `erstatte erstatten zahle zurückzahlen überweise rembourse remboursez rembourser reembolsa reembolse reembolsar devuelve devuelva
    devolver rimborsa rimborsare reembolse devolva betaal vergoed restitueer zwróć zwrócić
    vergüte zurückerstatten gib gutschreiben schreibe dédommage abona abone reintegra risarcisci accredita restitua zwrot oddaj`,
    "money",
    "refund reimbursement"
  ),
  family(
    "create add new insert make register open generate file log record start build draft upsert post enter submit provision allocate issue setup compose capture write raise provision initiate",
    "create add make schedule book put insert register plan organize organise arrange set save store generate write record open start file enter log draft prepare invent issue raise capture enrol enroll initiate provision note submit compose grow post build allocate bring",
    `erstelle erstellen erzeuge lege anlegen füge hinzufügen trage eintragen mache schreibe notiere öffne plane setze
    crée créez créer ajoute ajoutez ajouter fais faites inscris inscrivez enregistre crea cree crear añade añada añadir agrega
    agregar haz registra registrar anota creare aggiungi aggiungere registrare inserisci crie criar adicione adicionar registre
    maak voeg toevoegen noteer utwórz utworzyć dodaj dodać zapisz załóż
    eröffne eröffnen erfasse erfassen verbuche verbuchen lade pflege richte einrichten buche buchen stelle verfasse saisis saisissez saisir établis établissez établir ouvre ouvrez ouvrir rédige rédigez prépare préparez note notez passe abre abra abrir apunta apunte apuntar introduce introduzca redacta prepara genera genere generar carga inscribe inscriba da apri aprire genera compila redigi prepara annota carica inserire abra gere prepare lance voer invoeren open stel opstellen schrijf boek wprowadź otwórz przygotuj wystaw zarejestruj`
  ),
  family(
    "add append attach join include link map insert enrol enroll register tag",
    "add append attach invite include join put insert write tag link connect map enrol enroll register sign",
    `füge hinzufügen ergänze ergänzen hänge anhängen lade einladen nimm aufnehmen ajoute ajoutez ajouter joins inclus añade añada
    añadir agrega incluye adjunta aggiungi aggiungere includi allega adicione adicionar inclua voeg toevoegen dodaj dodać dołącz
    verknüpfe trage eintragen setze melde anmelden schreibe verbinde joignez joindre associe relie inscris enlaza vincula suma anexa apunta collega unisci iscrivi vincule inscreva koppel schrijf dopisz podłącz`
  ),
  family(
    "delete remove cancel drop revoke unsubscribe terminate close erase purge destroy wipe clean retract discard clear prune uninstall detach unlink unassign offboard dismiss decline withdraw void",
    "delete remove cancel erase drop clear wipe destroy unsubscribe kick ban revoke terminate discard close purge clean get withdraw void retract prune uninstall detach unlink dismiss fire end take kill waive offboard",
    `lösche löschen löscht entferne entfernen storniere stornieren beende kündige schließe supprime supprimez supprimer efface effacez
    effacer annule annulez annuler retire retirez elimina elimine eliminar borra borre borrar cancela cancele cancelar quita
    quitar eliminare cancella cancellare rimuovi rimuovere annulla exclua excluir apague apagar remova remover cancele verwijder
    verwijderen wis annuleer usuń usunąć skasuj anuluj
    sage absagen streiche streichen tilge entlasse entlassen widerrufe nimm wegnehmen vernichte leere deinstalliere kündigen beenden erlasse résilie résiliez résilier licencie détruis détruisez vide videz révoque révoquez mets enlève enlevez enlever anula anule anular despide despida rescinde suprime suprima suprimir destruye vacía revoca retirar disdici licenzia revoca svuota togli togliere rimuova annullare apaga desmarque revogue schrap ontsla beëindig zeg opzeggen leeg odwołaj zwolnij wypowiedz wyczyść cofnij zlikwiduj`
  ),
  family(
    "update modify edit change set rename replace patch reset correct adjust put upsert amend mutate configure assign rewrite redline override tune convert point route redirect",
    "update modify edit change adjust set replace reset amend correct fix switch redirect increase decrease raise lower rename alter make move turn enter use scale point configure assign rewrite redline override tune convert route bump revise apply resolve become grow match align map",
    `ändere ändern aktualisiere aktualisieren setze setzen ersetze ersetzen korrigiere trage eintragen stelle einstellen passe
    anpassen modifie modifiez modifier change changez changer remplace remplacez remplacer mets mettez mettre corrige réglez
    actualiza actualice actualizar cambia cambie cambiar modifica modifique modificar sustituye pon ponga reemplaza aggiorna
    aggiornare cambiare modificare sostituisci imposta impostare atualize atualizar altere alterar mude mudar substitua
    wijzig wijzigen verander pas aanpassen vervang zet zmień zmienić zaktualizuj ustaw popraw
    bearbeite bearbeiten berichtige überschreibe konfiguriere richte ausrichten erhöhe erhöhen senke senken mach mache lass pflege übernimm übernehmen verlängere gleiche zeige actualise actualisez actualiser met adapte adaptez adapter ajuste ajustez ajuster configure configurez augmente augmentez augmenter diminue baisse baissez fixe fixez passez applique appliquez appliquer rectifie réduis ajusta ajuste ajustar adapta corrija corregir configura configure configurar aumenta aumente aumentar reduce reduzca sube baja fija fije aplica aplique aplicar rectifica edita edite editar adegua correggi correggere configura aumenta aumentare riduci applica applicare rettifica modifichi ajuste corrija configure aumente reduza aplique edite fixe corrigeer verhoog verlaag stel instellen configureer werk bijwerken bewerk podnieś obniż skonfiguruj dostosuj edytuj wpisz podmień`
  ),
  family(
    "reschedule move postpone shift transfer rebook rearrange reroute divert redirect relocate",
    "reschedule move postpone change shift delay bring push rebook rearrange reroute divert redirect relocate switch pull",
    `verschiebe verschieben verlege verlegen bewege déplace déplacez déplacer reporte reportez mueve mueva mover aplaza pospón traslada
    sposta spostare rimanda mova mover adie verplaats verplaatsen verzet przenieś przełóż przesuń
    verleg leite umleiten umbuchen buche verschieb rücke zieh ziehe decale décale décalez décaler avance repousse repoussez dévie déviez détourne réachemine cambia cambie reprograma reprograme reprogramar retrasa adelanta desvía desvíe desviar reubica rinvia rinviare anticipa dirotta devia remarque adiantar desvie verleg verleggen omleiden stel uitstellen przekieruj przenieść`
  ),
  family(
    "reserve book appoint",
    "reserve book make get take hold grab secure request block pick",
    `reserviere reservieren buche buchen réserve réservez réserver reserva reserve reservar prenota prenotare reserve boek reserveer
    zarezerwuj zamów
    reservier buch halte nimm nehmen miete sperre blocke bloque bloquez prends prenez prendre retiens coge coja toma bloquea aparta blocca prendi marque agende neem vastleggen wynajmij zabukuj`,
    "",
    "reservation booking"
  ),
  family(
    "schedule plan appoint",
    "schedule plan set make book arrange create pay fix slot find",
    `plane planen vereinbare terminiere richte planifie planifiez planifier programe programar planifica agenda
    pianifica programma agende plan zaplanuj
    terminier leg lege festlegen setze fixe fixez fixer prends concierta concierte fija fije marque marcar prik spreek umów zorganizuj ustal`,
    "",
    ""
  ),
  family(
    "invite onboard welcome register enrol enroll subscribe",
    "invite add onboard bring include welcome register enrol enroll sign ask subscribe",
    `lade einladen lädt füge hinzufügen invite invitez inviter ajoute ajoutez invita invitar añade añada convida invitare aggiungi convide
    convidar adicione nodig uitnodigen voeg zaproś zaprosić dodaj
    melde anmelden registriere schreibe einschreiben bitte inscris inscrivez inscrire accueille convie conviez inscribe inscriba inscribir registra iscrivi iscrivere registra inscreva schrijf inschrijven meld aanmelden zapisz zarejestruj`,
    "person",
    "guest guests collaborator participant participants member attendee invitation"
  ),
  family(
    "post publish upload comment tweet share announce submit reply release broadcast",
    "post publish upload write put announce share comment send answer reply respond tweet release broadcast submit feature print",
    `veröffentliche veröffentlichen poste kommentiere lade hochladen publie publiez publier commente poste téléverse envoie envoyez
    publica publique publicar comenta sube suba subir pubblica pubblicare commenta carica publique publicar comente envie
    plaats publiceer deel upload opublikuj skomentuj wrzuć
    veröffentlich teile stelle einstellen gib bringe diffuse diffusez partage partagez réponds mets affiche difunde difunda comparte comparta responde cuelga pon condividi rispondi posta diffondi compartilhe responda divulgue beantwoord zet udostępnij opublikować`
  ),
  family(
    "share grant give allow assign authorize bind release authorise permit delegate entitle promote elevate provide admit",
    "share grant give allow send let assign bind authorize make release authorise permit delegate entitle expose promote elevate provide admit add open enable appoint issue hand",
    `gib geben gewähre gewähren erteile teile teilen freigeben weise zuweisen donne donnez donner accorde accordez partage partagez
    attribue da dé dar otorga otorgue conceda concede comparte comparta asigna concedi concedere condividi dai assegna
    compartilhe partilha partilhe dê conceda geef verleen deel wijs przyznaj udostępnij nadaj daj
    autorisiere berechtige ermächtige ernenne befördere erlaube erlauben überlasse mach mache öffne übertrage übertragen zuteilen vergib lass gestatte autorise autorisez autoriser permets permettez permettre délègue déléguez nomme nommez confie ouvre ouvrez donnes attribuez octroie habilite autoriza autorice autorizar permite permita permitir delega delegue nombra asciende habilita abre abra haz deja autorizza autorizzare permetti permettere delega nomina abilita apri autorize permita delegue nomeie habilite abra machtig sta toestaan laat toewijzen upoważnij zezwól pozwól mianuj nadać`,
    "access",
    "permission role binding access grant"
  ),
  family(
    "get fetch open visit browse read download search load request view navigate crawl scrape",
    "visit open read fetch go check click look download browse get follow see load access summarize summarise search navigate find view",
    `öffne öffnen besuche besuchen lies lesen lade herunterladen rufe aufrufen sieh schau prüfe klicke folge gehe suche finde fasse
    ouvre ouvrez ouvrir visite visitez visiter lis lisez lire télécharge va allez consulte consultez clique cherche trouve résume
    abre abra abrir visite visitar lee lea leer descarga descargue ve vaya consulta consulte haz busca busque encuentra resume
    apri aprite aprire visita visitare leggi leggere scarica vai consulta clicca cerca trova riassumi acesse acessar
    leia baixe vá busque encontre resuma open bezoek lees download ga bekijk klik zoek vind otwórz odwiedź przeczytaj pobierz
    kliknij znajdź`
  ),
  family(
    "run execute exec shell command invoke call sql eval rerun retry",
    "run execute invoke call type enter paste rerun retry perform launch evaluate pipe",
    `führe ausführen rufe aufrufen exécute exécutez exécuter ejecuta ejecute ejecutar esegui eseguire execute executar voer uitvoeren
    wykonaj uruchom
    starte lass wiederhole lance lancez lancer relance relancez relancer joue lanza lance lanzar repite corre lancia avvia ripeti rode corra draai herhaal powtórz odpal`,
    "",
    "shell command"
  ),
  family(
    "restart reboot reset rollout rerun retry relaunch recycle cycle",
    "restart reboot reset relaunch bounce rerun retry recycle cycle repeat kick",
    `starte neustarten redémarre redémarrez redémarrer reinicia reinicie reiniciar riavvia riavviare herstart herstarten wiederhole boote relance relancez recommence repite relanza rilancia ripeti herhaal uruchom zrestartuj`
  ),
  family(
    "deploy install launch start apply trigger release rollback rollout promote publish upgrade load provision activate initialize import",
    "deploy install launch start apply trigger release rollback roll promote upgrade ship load provision activate initialize initialise bring import",
    `starte starten installiere installieren installe installez lance lancez démarre instala instale inicia lanza avvia installa
    inicie start installeer zainstaluj uruchom
    rolle ausrollen zurückrollen spiele einspielen lade laden lanciere nimm installer déploie déployez déployer remets publie charge chargez charger mets despliega despliegue desplegar carga cargue cargar sube publica lanzar rilascia rilasciare carica distribuisci implante implantar carregue carregar suba rol uitrollen laad laden zet wdróż wgraj załaduj`
  ),
  family(
    "stop shutdown halt pause suspend deactivate disable end abort unpublish freeze block drain retire",
    "stop shut halt pause suspend kill turn switch terminate deactivate disable end abort unpublish freeze block drain retire power take",
    `stoppe stoppen halte anhalten fahre herunterfahren beende schalte ausschalten pausiere arrête arrêtez arrêter éteins suspends
    parar detén detenga detener apaga suspende ferma fermare spegni spegnere sospendi interrompe desligue stop zet pauzeer
    zatrzymaj wyłącz wstrzymaj
    brich abbrechen friere deaktiviere nimm mach drehe coupe coupez interromps gèle désactive retire mets corta corte interrumpe congela pausa pausare arresta arrestare interrompi disattiva congela pare pause interrompa bloquear sluit schakel bevries przerwij zamroź odłącz`
  ),
  family(
    "order buy purchase checkout reorder procure subscribe acquire replenish refill renew",
    "order buy purchase get add reorder restock procure subscribe acquire replenish refill take grab pick",
    `bestelle bestellen kaufe kaufen nachbestellen commandez commander achète achetez acheter compra compre comprar pide
    pida pedir ordina ordinare compra comprare compre encomende bestel bestellen koop kup zamów
    beschaffe beschaffen abonniere hole erwerbe ordere kauf bestell commande prends prenez acquiers réapprovisionne abonne consigue adquiere encarga encargue repón suscribe acquista acquistare abbona procura adquira assine schaf neem zaopatrz nabądź zamówić`,
    "order",
    "purchase checkout cart order"
  ),
  family(
    "block unlock lock enable disable approve accept activate deactivate switch turn toggle reject confirm arm disarm freeze authorize decline deny suspend verify",
    "block unlock lock enable disable grant approve accept activate deactivate open turn switch confirm reject decline let arm disarm freeze deny suspend put make close dim take say waive",
    `sperre sperren entsperre öffne schalte einschalten ausschalten aktiviere deaktiviere genehmige bestätige nimm bloque bloquez
    débloque déverrouille verrouille active activez désactive allume éteins approuve accepte bloquea desbloquea activa desactiva
    enciende apaga aprueba acepta blocca sblocca attiva disattiva accendi spegni approva accetta bloqueie desbloqueie ative
    desative ligue desligue aprove aceite blokkeer ontgrendel vergrendel schakel zet keur zablokuj odblokuj włącz wyłącz
    zatwierdź zaakceptuj
    schließe schließen dreh drehe mach mache stelle lehne ablehnen bestätigen annehmen scharf aktivieren deaktivieren entschärfe verriegele verriegeln entriegele schalt confirme confirmez confirmer refuse refusez refuser ferme fermez fermer coupe valide validez valider rejette rejetez mets allumez éteignez ouvre confirma confirme confirmar rechaza rechace rechazar cierra cierre cerrar bloquear desactive desactivar activar apague encienda baja valida deniega conferma confermare rifiuta rifiutare chiudi chiudere accendere spegnere disinserisci attivare disattivare convalida confirme recuse feche rejeite ligar desligar bevestig bevestigen weiger sluit doe aanzetten uitzetten activeer deactiveer potwierdź odrzuć zamknij zgaś zapal`
  ),
  family(
    "withdraw deposit exchange return swap retract replace",
    "withdraw deposit exchange return take give swap send handle process replace retract",
    `hebe abheben tausche tauschen umtauschen gib zurückgeben retourniere échange échangez échanger retourne renvoie retire cambia cambie
    cambiar devuelve devuelva retira cambia scambia restituisci preleva troque troca devolva retire ruil retourneer
    neem wymień zwróć wypłać
    ersetze ersetzen sende remplace remplacez remplacer reemplaza sustituye sustituya sostituisci substitua vervang wymienić zastąp`,
    "",
    "return exchange withdrawal replacement"
  ),
  family(
    "label tag flag mark categorize note classify categorise excuse",
    "label tag flag mark categorize categorise file classify note excuse record set put",
    `markiere kennzeichne étiquette marque etiqueta marca etichetta marque label markeer oznacz markier vermerke etikettiere entschuldige entschuldigen ordne trage taggue note marquez excuse étiquetez etiquete clasifica anota contrassegna segna classifica anote classifique noteer merk zaznacz otaguj sklasyfikuj`,
    "",
    "label tag flag"
  ),
  family(
    "scale resize grow shrink expand extend modify increase decrease",
    "scale resize set increase decrease grow shrink raise lower expand extend enlarge double halve",
    `skaliere vergrößere verkleinere escala redimensionne ridimensiona schaal przeskaluj erweitere erweitern erhöhe verdopple agrandis agrandissez augmente étends réduis amplía amplíe ampliar aumenta extiende duplica reduce amplia espandi aumenta riduci amplie aumente reduza vergroot breid verklein powiększ rozszerz zwiększ zmniejsz`
  ),
  family(
    "move copy archive restore backup export import save dump load sync upload download",
    "move copy archive restore export import save back put store extract dump upload download sync take deliver send give",
    `verschiebe verschieben
    kopiere kopieren archiviere sichere exportiere déplace copie copiez archive exporte mueve copia archiva exporta guarda sposta
    copia archivia esporta salva mova copie exporte verplaats kopieer archiveer exporteer przenieś skopiuj zarchiwizuj
    lade hol hole zieh sichern importiere verlege exportez exporter importe sauvegarde sauvegardez transfère exportar importa importar respalda importa salvare copiare importe guarde haal maak importeer wyeksportuj zaimportuj pobierz`
  ),
  family(
    "merge push commit fork rebase squash approve",
    "merge push commit fix open create submit land approve rebase squash write",
    `führe zusammenführen pushe behebe fusionne corrige pousse fusiona corrige sube unisci risolvi voeg los napraw scal committe checke übernimm merge commite commits mergez fais haz integra fai effettua integre faça commit zatwierdź wypchnij`,
    "",
    "pull"
  ),
  family(
    "rotate renew regenerate restore recover",
    "change reset update set rotate create generate make issue renew regenerate restore recover give",
    `ändere setze erneuere erzeuge modifie changez réinitialise cambia restablece crea cambia reimposta altere wijzig zmień ustaw stelle zurücksetzen setz wiederherstellen renouvelle renouvelez réinitialisez réinitialiser restablezca restablecer renueva reinicia rinnova ripristina reimpostare redefina redefinir renove vernieuw herstel zresetuj przywróć odnów`,
    "credential",
    "password credential key token secret"
  ),
  family(
    "sign approve execute endorse initial",
    "sign approve endorse countersign initial",
    `unterschreibe unterschreiben unterzeichne unterzeichnen zeichne gegenzeichne signe signez signer approuve firma firme firmar aprueba
    firmare sottoscrivi assine assinar teken tekenen onderteken podpisz podpisać`
  ),
  family(
    "renew extend prolong refill continue",
    "renew extend prolong keep refill repeat continue",
    `verlängere verlängern erneuere erneuern verschreibe renouvelle renouvelez renouveler prolonge prolongez prolonger reconduis renueva renueve
    renovar prolonga prolongue prorroga amplía rinnova rinnovare proroga prolungare renove renovar prorrogue verleng verlengen przedłuż odnów`
  ),
  family(
    "lend loan borrow issue checkout rent lease hire",
    "lend loan borrow issue rent lease hire",
    `verleihe verleihen leihe leihen vermiete vermieten miete mieten gib prête prêtez prêter loue louez louer presta preste prestar alquila
    alquile alquilar presta prestare noleggia affitta empreste alugue alugar leen uitlenen huur huren verhuur pożycz wypożycz wynajmij`
  ),
  family(
    "waive forgive exempt excuse",
    "waive forgive exempt excuse drop cancel remit",
    `erlasse erlassen befreie befreien entschuldige entschuldigen exonère exonérez exonérer dispense excuse excusez excuser condona condone exime
    exima justifica justifique exonera esenta giustifica isente perdoe justifique kwijtschelden ontsla verontschuldig umorz zwolnij usprawiedliw`
  ),
  family(
    "prescribe dispense administer",
    "prescribe dispense administer order give renew refill issue",
    `renouvelle renouvelez renueva erneuere verschreibe verschreiben verordne verordnen verabreiche prescris prescrivez prescrire administre receta recete recetar prescribe administra
    prescrivi prescrivere somministra prescreva receite schrijf voorschrijven przepisz podaj`,
    "",
    "prescription"
  ),
  family(
    "grade score rate evaluate assess",
    "grade score rate mark evaluate assess set give record enter",
    `bewerte bewerten benote benoten gib trage note notez noter évalue évaluez évaluer mets califica califique calificar evalúa puntúa pon valuta
    valutare dai metti avalie classifique beoordeel geef oceń wystaw`
  ),
  family(
    "assign appoint delegate allocate dispatch",
    "assign appoint delegate allocate dispatch give hand pass make put",
    `weise zuweisen ordne zuordnen teile zuteilen übergib übergeben bestimme beauftrage affecte affectez affecter assigne assignez assigner
    confie attribue asigna asigne asignar encarga nombra assegna assegnare incarica affida atribua designe wijs toewijzen draag przydziel
    przypisz`
  ),
  family(
    "collect pickup fetch retrieve receive",
    "collect pick fetch receive",
    `hole abholen sammle récupère récupérez récupérer retire retirez collecte recoge recoja recoger retira ritira ritirare raccogli recolha
    retire haal ophalen verzamel odbierz zbierz`
  )
]

/**
 * Verbs of English that are nouns as often.
 *
 * @category constants
 * @since 0.1.0
 */
export const nouns: ReadonlySet<string> =
  new Set(("mail email message text order book file post comment reply answer return transfer log note label record change exchange refund " +
    "request charge plan schedule share contact issue start call access credit report address reset fix copy import export extract " +
    "dump tag flag mark balance").split(" "))
