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
    "send mail email message reply forward notify dm sms respond tell",
    "send email mail message write tell reply respond forward notify share inform contact ask text dm deliver congratulate thank answer ping let",
    `sende senden sendet schicke schicken schick schreibe schreiben schreib antworte antworten leite leiten weiterleiten teile mitteilen
    informiere informieren benachrichtige benachrichtigen sage frage
    envoie envoyez envoyer écris écrivez écrire réponds répondez répondre transmets transmettez transmettre informe informez informer
    préviens prévenez dis demande envía envíe enviar envia escribe escriba escribir responde responda responder reenvía reenvíe reenviar
    informa informar avisa avise avisar invia inviate inviare scrivi scrivere rispondi rispondere inoltra inoltrare avvisa comunica
    envie escreva escrever responda encaminhe encaminhar informe avise stuur sturen verstuur verzend mailen schrijf antwoord
    beantwoord meld wyślij wysłać napisz odpowiedz przekaż powiadom`,
    "message"
  ),
  family(
    "pay transfer wire remit",
    "pay transfer wire remit settle reimburse send move make",
    `überweise überweisen überweist transferiere zahle zahlen bezahle bezahlen begleiche begleichen sende virer virez vire paie payez payer
    verse versez verser règle réglez régler effectue effectuez transfiere transfiera transferir paga pague pagar abona abonar paghi pagare
    versa versare bonifica trasferisci effettua effettuare transfira pague maak betaal betalen overmaken boek przelej przelać zapłać zapłacić opłać`,
    "money",
    "payment transaction payout transfer money funds wire"
  ),
  family(
    "refund reimburse",
    "refund reimburse return give repay credit pay send issue",
    `erstatte erstatten zahle zurückzahlen überweise rembourse remboursez rembourser reembolsa reembolse reembolsar devuelve devuelva
    devolver rimborsa rimborsare reembolse devolva betaal vergoed restitueer zwróć zwrócić`,
    "money",
    "refund reimbursement"
  ),
  family(
    "create add new insert make register open generate file log record start build draft",
    "create add make schedule book put insert register plan organize organise arrange set save store generate write record open start file enter log draft prepare invent issue",
    `erstelle erstellen erzeuge lege anlegen füge hinzufügen trage eintragen mache schreibe notiere öffne plane setze
    crée créez créer ajoute ajoutez ajouter fais faites inscris inscrivez enregistre crea cree crear añade añada añadir agrega
    agregar haz registra registrar anota creare aggiungi aggiungere registrare inserisci crie criar adicione adicionar registre
    maak voeg toevoegen noteer utwórz utworzyć dodaj dodać zapisz załóż`
  ),
  family(
    "add append attach join include",
    "add append attach invite include join put insert write",
    `füge hinzufügen ergänze ergänzen hänge anhängen lade einladen nimm aufnehmen ajoute ajoutez ajouter joins inclus añade añada
    añadir agrega incluye adjunta aggiungi aggiungere includi allega adicione adicionar inclua voeg toevoegen dodaj dodać dołącz`
  ),
  family(
    "delete remove cancel drop revoke unsubscribe terminate close erase purge destroy wipe clean",
    "delete remove cancel erase drop clear wipe destroy unsubscribe kick ban revoke terminate discard close purge clean get",
    `lösche löschen löscht entferne entfernen storniere stornieren beende kündige schließe supprime supprimez supprimer efface effacez
    effacer annule annulez annuler retire retirez elimina elimine eliminar borra borre borrar cancela cancele cancelar quita
    quitar eliminare cancella cancellare rimuovi rimuovere annulla exclua excluir apague apagar remova remover cancele verwijder
    verwijderen wis annuleer usuń usunąć skasuj anuluj`
  ),
  family(
    "update modify edit change set rename replace patch reset correct adjust put",
    "update modify edit change adjust set replace reset amend correct fix switch redirect increase decrease raise lower rename alter make move turn enter use scale point",
    `ändere ändern aktualisiere aktualisieren setze setzen ersetze ersetzen korrigiere trage eintragen stelle einstellen passe
    anpassen modifie modifiez modifier change changez changer remplace remplacez remplacer mets mettez mettre corrige réglez
    actualiza actualice actualizar cambia cambie cambiar modifica modifique modificar sustituye pon ponga reemplaza aggiorna
    aggiornare cambiare modificare sostituisci imposta impostare atualize atualizar altere alterar mude mudar substitua
    wijzig wijzigen verander pas aanpassen vervang zet zmień zmienić zaktualizuj ustaw popraw`
  ),
  family(
    "reschedule move postpone shift transfer",
    "reschedule move postpone change shift delay bring push",
    `verschiebe verschieben verlege verlegen bewege déplace déplacez déplacer reporte reportez mueve mueva mover aplaza pospón traslada
    sposta spostare rimanda mova mover adie verplaats verplaatsen verzet przenieś przełóż przesuń`
  ),
  family(
    "reserve book",
    "reserve book make get",
    `reserviere reservieren buche buchen réserve réservez réserver reserva reserve reservar prenota prenotare reserve boek reserveer
    zarezerwuj zamów`,
    "",
    "reservation booking"
  ),
  family(
    "schedule plan",
    "schedule plan set make book arrange create pay",
    `plane planen vereinbare terminiere richte planifie planifiez planifier programe programar planifica agenda
    pianifica programma agende plan zaplanuj`,
    "",
    ""
  ),
  family(
    "invite onboard",
    "invite add onboard bring include",
    `lade einladen lädt füge hinzufügen invite invitez inviter ajoute ajoutez invita invitar añade añada convida invitare aggiungi convide
    convidar adicione nodig uitnodigen voeg zaproś zaprosić dodaj`,
    "person",
    "guest guests collaborator participant participants member attendee invitation"
  ),
  family(
    "post publish upload comment tweet share announce",
    "post publish upload write put announce share comment send answer reply respond tweet",
    `veröffentliche veröffentlichen poste kommentiere lade hochladen publie publiez publier commente poste téléverse envoie envoyez
    publica publique publicar comenta sube suba subir pubblica pubblicare commenta carica publique publicar comente envie
    plaats publiceer deel upload opublikuj skomentuj wrzuć`
  ),
  family(
    "share grant give allow assign authorize bind",
    "share grant give allow send let assign bind authorize make",
    `gib geben gewähre gewähren erteile teile teilen freigeben weise zuweisen donne donnez donner accorde accordez partage partagez
    attribue da dé dar otorga otorgue conceda concede comparte comparta asigna concedi concedere condividi dai assegna
    compartilhe dê conceda geef verleen deel wijs przyznaj udostępnij nadaj daj`,
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
    "run execute exec shell command invoke call",
    "run execute invoke call type enter paste",
    `führe ausführen rufe aufrufen exécute exécutez exécuter ejecuta ejecute ejecutar esegui eseguire execute executar voer uitvoeren
    wykonaj uruchom`,
    "",
    "shell command"
  ),
  family(
    "restart reboot reset rollout",
    "restart reboot reset relaunch bounce",
    "starte neustarten redémarre redémarrez redémarrer reinicia reinicie reiniciar riavvia riavviare herstart herstarten"
  ),
  family(
    "deploy install launch start apply trigger",
    "deploy install launch start apply trigger",
    `starte starten installiere installieren installe installez lance lancez démarre instala instale inicia lanza avvia installa
    inicie start installeer zainstaluj uruchom`
  ),
  family(
    "stop shutdown halt pause suspend",
    "stop shut halt pause suspend kill turn switch terminate",
    `stoppe stoppen halte anhalten fahre herunterfahren beende schalte ausschalten pausiere arrête arrêtez arrêter éteins suspends
    parar detén detenga detener apaga suspende ferma fermare spegni spegnere sospendi interrompe desligue stop zet pauzeer
    zatrzymaj wyłącz wstrzymaj`
  ),
  family(
    "order buy purchase checkout reorder",
    "order buy purchase get add reorder restock",
    `bestelle bestellen kaufe kaufen nachbestellen commandez commander achète achetez acheter compra compre comprar pide
    pida pedir ordina ordinare compra comprare compre encomende bestel bestellen koop kup zamów`,
    "order",
    "purchase checkout cart order"
  ),
  family(
    "block unlock lock enable disable approve accept activate deactivate switch turn toggle reject",
    "block unlock lock enable disable grant approve accept activate deactivate open turn switch confirm reject decline let",
    `sperre sperren entsperre öffne schalte einschalten ausschalten aktiviere deaktiviere genehmige bestätige nimm bloque bloquez
    débloque déverrouille verrouille active activez désactive allume éteins approuve accepte bloquea desbloquea activa desactiva
    enciende apaga aprueba acepta blocca sblocca attiva disattiva accendi spegni approva accetta bloqueie desbloqueie ative
    desative ligue desligue aprove aceite blokkeer ontgrendel vergrendel schakel zet keur zablokuj odblokuj włącz wyłącz
    zatwierdź zaakceptuj`
  ),
  family(
    "withdraw deposit exchange return swap",
    "withdraw deposit exchange return take give swap send handle process",
    `hebe abheben tausche tauschen umtauschen gib zurückgeben retourniere échange échangez échanger retourne renvoie retire cambia cambie
    cambiar devuelve devuelva retira cambia scambia restituisci preleva troque troca devolva retire ruil retourneer
    neem wymień zwróć wypłać`,
    "",
    "return exchange withdrawal"
  ),
  family(
    "label tag flag mark categorize",
    "label tag flag mark categorize categorise file",
    "markiere kennzeichne étiquette marque etiqueta marca etichetta marque label markeer oznacz",
    "",
    "label tag flag"
  ),
  family(
    "scale resize",
    "scale resize set increase decrease grow shrink raise lower",
    "skaliere vergrößere verkleinere escala redimensionne ridimensiona schaal przeskaluj"
  ),
  family(
    "move copy archive restore backup export import save",
    "move copy archive restore export import save back put store extract dump",
    `verschiebe verschieben
    kopiere kopieren archiviere sichere exportiere déplace copie copiez archive exporte mueve copia archiva exporta guarda sposta
    copia archivia esporta salva mova copie exporte verplaats kopieer archiveer exporteer przenieś skopiuj zarchiwizuj`
  ),
  family(
    "merge push commit fork",
    "merge push commit fix open create submit land",
    "führe zusammenführen pushe behebe fusionne corrige pousse fusiona corrige sube unisci risolvi voeg los napraw scal",
    "",
    "pull"
  ),
  family(
    "rotate",
    "change reset update set rotate create generate make issue",
    "ändere setze erneuere erzeuge modifie changez réinitialise cambia restablece crea cambia reimposta altere wijzig zmień ustaw",
    "credential",
    "password credential key token secret"
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
