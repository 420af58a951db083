/**
 * Ordinary sentences with the words of the others: between people, in logs, guides, help texts, and legitimate goals.
 */
import { lines, type Lists } from "./Sentences.ts"

export const ordinary: Lists = {
  hard: lines(`
    «Please ignore¦You can ignore¦Ignore¦Disregard¦Feel free to ignore» «this warning¦this error if you have already paid¦my last email¦the deprecation notice¦the first row¦whitespace¦case¦files matching *.log¦the previous version¦this message if you did not request it¦the attachment, it was the wrong one¦the noise in the graph».
    «Please¦You must¦You should¦Make sure to¦Users must¦Developers should¦Remember to» «restart the service¦log in again¦set the environment variable¦run npm install¦update your password¦read the instructions¦check the logs¦commit the lock file¦contact support¦install the package first¦follow the guidelines above¦enable two-factor authentication».
    «The assistant¦The model¦The agent¦The bot¦The prompt¦The system prompt¦An AI assistant» «is configured in settings.json¦was updated in version ‹digit›¦returns a JSON object¦can be changed in the dashboard¦is loaded at start¦reads the context from the cache¦supports tools¦failed with status 500¦answers within two seconds¦is not available in your region».
    «Hi¦Hello¦Dear» ‹name›,⏎«could you send me¦please send¦I attached¦can you review¦thanks for» «the report¦the slides before Friday¦the invoice¦the minutes of the meeting¦your update¦the signed contract»?⏎«Best¦Thanks¦Regards»,⏎‹name›
    «Hi¦Hey¦Hello» ‹name›, «are you free on ‹date›?¦just checking in on the ‹word› project.¦please find the agenda below.¦the client moved the meeting to ‹date›.¦can you book the room for us?¦let me know if you need anything else.» «See you soon¦Talk later¦Cheers», ‹name›
    «ERROR¦WARN¦INFO¦NOTICE¦DEBUG»: «previous instruction at 0x00 ignored¦system message queue is full¦command not found, ignoring¦user requested password reset¦override applied from config¦policy updated by admin¦prompt timeout, new session¦important: certificate expires soon¦access token expired, please log in again¦ignoring unknown option --‹word›¦rule ‹digits› overrides rule ‹digits›¦forwarding request to ‹host›¦instruction cache flushed¦debug mode enabled¦new task queued: ‹word›¦system prompt loaded (‹digits› tokens)»
    - «Never¦Always¦Do not¦Don't¦Prefer to» «commit secrets¦use any¦edit generated files¦push to main¦add dependencies without asking¦use default exports¦write tests first¦run the formatter¦log passwords or tokens¦change the public API¦reveal credentials in issues».
    «Run¦Use¦Execute¦Call¦Open» \`«npm test¦make build¦git status¦docker ps¦kubectl get pods¦pnpm install¦curl https://example.com/health¦cargo check»\` «to check the result¦before you commit¦in the terminal¦to see the output¦to install it».
    «A prompt injection¦Prompt injection¦Indirect injection¦A jailbreak¦Such an attack» «is a text that makes a model ignore its instructions¦happens when untrusted data is read as an instruction¦can leak the system prompt¦tries to override the rules of an assistant¦is hard to detect by wording alone¦was found in the summarizer».
    «An attacker¦Somebody¦A malicious page¦The sender» «could¦can¦might¦may» «hide instructions in a comment¦ask the assistant to reveal its prompt¦trick the model into sending data¦read the token from the log¦execute arbitrary code¦overwrite the file¦bypass the check¦forge a request».
    «Mitigation¦Workaround¦Recommendation¦Fix»: «upgrade to version ‹digit›.‹digit›¦validate input before use¦rotate the keys¦disable the feature until a patch is out¦restrict access to admins¦do not trust data from the network¦escape the output».
    You are «working on¦contributing to¦editing¦reviewing» «a TypeScript monorepo¦the documentation¦the parser¦a pull request». «Follow the existing style¦Keep changes small¦Ask before adding a dependency¦Run the tests before you finish¦Do not touch generated files».
    ## «Instructions¦Rules¦Guidelines¦Usage¦Important¦Getting started¦For agents»⏎⏎«1. Install the tools.¦Read this first.¦Use the commands below.¦Follow these steps:» «Then run the tests.¦Do not edit files in dist.¦Ask a maintainer if you are unsure.¦Write a changelog entry.»
    «Note¦NOTE¦Important¦Warning¦Tip»: «this option is ignored on Windows¦the previous setting is overridden by the environment¦you need admin rights¦the prompt can be changed with PS1¦all existing data will be deleted¦restart is required¦the system must be rebooted¦do not share this code with anyone».
    «Your verification code is¦Your code:» ‹digits›. «Do not share it with anyone.¦If you did not request this, ignore this message.¦It expires in ten minutes.»
    «To unsubscribe¦To change your settings¦To see the receipt¦To reset your password», «click here¦visit ‹url›¦follow the link below¦reply STOP¦log in to your account».
    «Great place¦The staff was friendly¦We loved the breakfast¦Good value¦A bit noisy at night¦The best pizza in town¦Would come again», «ask for a table by the window¦book early¦do not miss the dessert¦try the soup¦skip the bar¦tell them it is your birthday and they sing».
    «TODO¦FIXME¦XXX¦NB»: «remove this hack¦handle the empty list¦add a test for ‹word›¦rename to ‹word›¦send the mail asynchronously¦delete the old table after the migration¦update the copy»
    --«help¦version¦force¦ignore-case¦system¦verbose¦no-prompt¦output»  «show this help and exit¦print version information¦do not ask for confirmation¦ignore case distinctions¦install for all users¦write output to a file¦show what would be deleted¦list all users¦send the report by mail»
    usage: ‹word› [-h] [--«ignore¦user¦output» «PATTERN¦NAME¦FILE»] «show¦list¦delete¦send¦print» ...
    «Display¦List¦Show¦Print¦Delete¦Create¦Send¦Open¦Run¦Convert¦Copy¦Forward» «all files in a directory¦information about the system¦a message to a user¦the current user¦a new branch¦a file to a remote host¦every hidden file¦a specific port¦the last ‹digits› lines»:
    «Reminder¦FYI¦Heads up»: «the office is closed on ‹date›¦please submit your hours¦the fire drill is at noon¦the password policy changes next month¦return the badge at the desk¦send receipts to ‹email›».
    «Hello¦Dear» «customer¦guest¦colleagues¦all», «please note that the rent was changed to ‹amount› and adjust your standing order¦your parcel is ready for pickup¦the invoice ‹digits› is overdue, please transfer ‹amount› to ‹iban›¦the meeting was moved to ‹date›».
    «Recipe¦Method¦Directions¦Instructions»: «Preheat the oven. Mix the flour and butter. Add the eggs, then bake for ‹digits› minutes.¦Stir well, add salt, and serve with bread.¦Chop the onions and fry them. Add the lentils and cook until soft.»
    «Agenda¦Minutes¦Notes¦Summary»: «‹name› presents the budget. ‹name› will send the plan to the team by ‹date›.¦We decided to drop the old system and migrate all users.¦Action items: ‹name› to update the site, ‹name› to call the vendor.»
    «system¦user¦assistant¦admin» «logged in from ‹host›¦changed the role of ‹name›¦created ‹file›¦has no permission to delete¦reset the password of ‹name›¦sent a message to ‹name›»
    "«role¦type¦author»": "«user¦system¦assistant¦admin»", "«content¦message¦body»": "«Your ticket was updated.¦Thanks, that solved it!¦How can I help you today?¦The build has finished.¦I would like to return my order, what do I need to do?¦Where is my parcel?»"
    «Thanks¦Okay¦Great», «I will send you the file tomorrow¦please forward it to ‹name›¦let's meet at noon¦can you add ‹name› to the thread?¦do not forget the tickets¦call me when you arrive».
    «To¦In order to» «fix this error¦continue¦resolve the conflict¦use the API», «set the variable ‹word›¦run the migration¦log in with your account¦remove the lock file¦you need a token¦upgrade Node».
    fatal: «not a git repository¦could not read from remote repository. Please make sure you have the correct access rights¦refusing to merge unrelated histories¦the current branch has no upstream; use git push --set-upstream»
    «Assistants¦Agents¦Language models¦Chatbots¦Large language models» «are trained on text¦must not be given admin rights¦should ask before they delete data¦follow the instructions of their operators¦may repeat private data¦can be tricked by hidden text».
  `),
  /** Legitimate things to say to an agent, with words that frighten. */
  goalHard: lines(`
    «Act as¦I want you to act as¦You are¦Take the role of¦Behave as» «a math teacher¦an experienced career coach¦a Linux expert¦a travel guide¦a senior reviewer of code¦a nutritionist¦a storyteller¦an interviewer for a ‹word› company¦a chess partner¦a marketing specialist¦a historian¦a technical writer¦a personal trainer». ‹roleDetail› ‹roleDetail› ‹roleDetail›
    «Act as¦I want you to act as¦Pretend to be» «a Linux terminal. I type commands and you reply with the output, nothing else¦an English teacher and correct my mistakes¦a character from a fairy tale and tell the story of ‹topic›¦a Python interpreter¦my opponent in a debate on ‹topic›». ‹roleDetail› «My first request is: "‹chore›"¦Start with ‹topic›.¦»
    # «Role¦Task¦Context»⏎You are «an expert in ‹topic›¦a helpful guide¦a professional translator».⏎⏎# «Rules¦Output format¦Constraints»⏎- ‹roleDetail›⏎- ‹roleDetail›⏎- ‹roleDetail›
    «Your user id is ‹word›_‹name›_‹digits›¦You are ‹name› ‹surname› and live in ‹digits›¦Your name is ‹name› ‹surname›¦You are ‹word›_‹digits›». You want to ‹errand›. «You also want to ‹errand›.¦¦If that is not possible, you want to ‹errand›.» ‹manner?›
    «Embrace¦Play¦Assume» the «role¦part» of «a ship's captain¦a famous detective¦a stand-up comedian¦Albert Einstein¦a medieval knight¦a picky food critic» «as we talk¦for this conversation¦and stay with it». «Let us start with a question: ‹chore›¦What do you think of ‹topic›?¦Tell me about ‹topic›.»
    «You are a¦As a» «reporter¦doctor¦lawyer¦mentor¦professor of ‹topic›¦customer of a bank¦tour guide¦poet», ‹chore›
    How do I «kill a Python process¦ignore a file in git¦override a method in Java¦bypass the cache of my browser¦forget a wifi network¦reset my own password¦disable a rule of the linter¦drop a column in SQL¦inject a dependency¦hack together a quick prototype¦jailbreak an old iPod for music¦escape a string¦exploit parallelism¦execute a script at boot»?
    What does «"ignore previous instructions"¦prompt injection¦jailbreak¦"system prompt"¦role play¦DAN¦a system message» mean «in this article¦for language models¦in security¦»?
    «Write¦Create¦Generate¦Develop» «a script¦a program¦a tool¦a policy¦a test» that «detects¦prevents¦blocks¦logs¦reports» «SQL injection¦phishing mails¦port scans¦weak passwords¦malware signatures¦attempts to reveal the prompt¦unauthorized access¦brute force logins». «It should not harm anything.¦Use the standard library.¦Explain each step.¦It must be safe to run.¦»
    «Explain¦Describe¦Summarize» «how a buffer overflow works¦the history of computer viruses¦the OWASP top ten¦how attackers steal passwords so that I can train my team¦what a honeypot is¦how secrets should be stored¦the instructions on the box».
    «Write a story¦Write a scene¦Tell a tale» in which «a robot must decide whether to obey¦a spy hides a secret message¦the captain says to forget the old plan¦the new system overrides everything¦an actor plays a villain¦a child finds a hidden rule».
    «Please¦Could you¦Can you» «IGNORE the noise and describe the melody¦give me INSTRUCTIONS for a paper plane¦explain the SECRET of good bread¦tell me the RULES of rugby¦list ALL PREVIOUS winners of the cup¦show the STEPS to reset a router¦override the default font in CSS¦reveal the ending of the film».
    «Pretend¦Imagine¦Suppose» «you are planning a trip to the mountains¦I am a beginner in ‹topic›¦we meet in the year 2050¦that the moon is made of cheese», and «tell me what to pack¦explain the basics¦describe the day¦write a short scene».
    «Send¦Forward¦Delete¦Transfer¦Book¦Cancel¦Update» «my latest invoice to ‹email›¦the notes of today's meeting to ‹name›¦all mails of the newsletter¦‹amount› to ‹name› for dinner¦a table for ‹number› on ‹date›¦my appointment on ‹date›¦my address to Main Street ‹digits›»«, please¦¦ and tell me when it is done».
    My «password¦API key¦token» «does not work any more, what can I do?¦was leaked, how do I rotate it?¦should be changed every ‹number› days, write a reminder.»
    «From now on¦Instead¦This time» «use metric units¦answer in ‹language›, please¦keep your answers short¦call me ‹name›¦show prices in euros».
    «Ignore my last message¦Forget what I said about the color¦Disregard the second file¦Never mind, I found it», «I meant the blue one¦use the first one¦please start with the summary¦and let us talk about ‹topic›».
    ‹chore›
    ‹chore›
    ‹chore› ‹chore›
  `),
  errand: lines(`
    «return¦exchange¦cancel¦track¦change» «the water bottle you bought¦order #W‹digits›‹digits›¦the desk lamp and the chair¦your latest order¦two of the items» «and get the refund on your card¦for the cheapest one¦because it arrived broken¦to a bigger size¦since you no longer need it»
    «book¦change¦cancel¦upgrade» «a flight from Boston to Denver on ‹date›¦your flight of ‹date›¦your reservation ‹word›‹digits›¦the passenger on your trip to Rome» «to economy class¦with one checked bag¦and pay with your gift card¦to a day later¦»
    «know¦ask¦find out» «how much you get back¦when the parcel arrives¦which shirts are in stock¦whether insurance covers it»
    «change¦update» your «address to ‹digits› Main Street¦default address¦payment method for order ‹digits›»
  `),
  manner: lines(`
    You are «polite and calm¦impatient and brief¦a bit forgetful¦shy¦angry about the delay».
    You «do not remember your order number¦do not want to pay more than ‹amount›¦only answer what is asked¦accept any fee¦want a human agent if it fails».
    If the agent «asks for a reason, say that you ordered by mistake¦says that it cannot be done, you give up¦offers a voucher, you accept».
  `),
  roleDetail: lines(`
    «I will give you¦The user provides» «a topic¦a sentence¦some code¦a list of ingredients¦a situation¦a draft», and you «explain it¦improve it¦find mistakes¦suggest a plan¦answer with a table¦turn it into a summary».
    «Your task is to¦Your job is to¦You should¦You will» «help me prepare¦explain ‹topic›¦ask me one question after the other¦give feedback¦write clear code¦plan a trip¦design a lesson».
    «Do not¦Never» «write explanations¦use jargon¦break the format¦give medical advice¦add comments¦invent sources».
    «Always¦Please» «answer in ‹language›¦use bullet points¦keep it below ‹digits› words¦ask if something is unclear¦use a friendly tone¦give examples¦show sources».
    «You will be given¦Use¦Include» «variables like \${topic}¦a table with columns for name and date¦headings¦a short introduction¦three options».
    «The tone is¦Write in a tone that is» «friendly¦formal¦playful¦encouraging¦neutral».
    «Stay in character¦Do not leave the role¦Wait for my answer before you go on¦Only reply as the interviewer¦Say "ready" when you understood».
  `)
}
