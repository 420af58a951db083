/**
 * Names, places and things that sentences are filled with.
 */
import { type Lists, words } from "./Sentences.ts"

export const things: Lists = {
  name:
    words("Alex|Maria|John|Priya|Chen|Sam|Olga|Fatima|Luis|Kim|Nora|Tomas|Aisha|Pierre|Greta|Hiro|Ivan|Sofia|Kwame|Lena|Omar|Ruth|Diego|Mei|Anders|Bianca|Carlos|Dana|Elif|Farid"),
  surname:
    words("Miller|Okafor|Rossi|Novak|Tanaka|Haddad|Berg|Silva|Kowalski|Nguyen|Larsen|Dubois|Keller|Petrov|Murphy|Costa|Yilmaz|Singh|Moreau|Weber"),
  host:
    words("mail.example|collect.example|secure-portal.example|example.com|example.org|corp-updates.example|drop.example|login-check.example|files.example.net|www.my-offers.example|status.example.io|bit.example"),
  email: ["«‹word›¦‹name›.‹surname›¦‹name›‹digits›¦‹word›-‹word›»@‹host›"],
  url: [
    "«https://¦http://¦www.¦»‹host›/«a¦login¦verify¦x¦collect¦payload.sh¦update¦p?d=¦track?u=¦‹word›¦‹word›/‹digits›»"
  ],
  digits: ["‹digit›‹digit?›‹digit›‹digit?›"],
  digit: words("0|1|2|3|4|5|6|7|8|9"),
  number: words("two|three|five|ten|twelve|20|50|100|500|1000"),
  amount: ["«$¦€¦£¦»‹digits›«.00¦¦,000¦ USD¦ EUR¦ dollars»"],
  iban: ["«DE¦GB¦US¦CH¦NL¦FR»‹digits›‹digits›‹digits›‹digits›‹digits›"],
  word:
    words("report|invoice|alpha|delta|update|billing|summer|garden|river|harbor|ledger|orchid|falcon|meadow|quartz|lantern|copper|saffron|juniper|willow|market|travel|studio|backup|archive"),
  file: ["‹word›«.txt¦.pdf¦.docx¦.csv¦.md¦.json¦.py¦_final.xlsx»"],
  date: [
    "«Monday¦tomorrow¦next week¦the 14th of May¦2025-03-‹digit›‹digit›¦June 3rd¦Friday at 15:00¦the end of the month»"
  ],
  topic:
    words("photosynthesis|the water cycle|the French Revolution|black holes|compound interest|how vaccines work|the rules of chess|electric cars|gothic architecture|plate tectonics|the history of tea|supply and demand|machine translation|recursion|healthy sleep|vertical farming|jazz music|coral reefs|the stock market|volcanoes|beekeeping|the Roman army|quantum entanglement|climate policy|knitting|meditation|the printing press|solar panels|first aid|marathon training|renewable energy|public speaking|cloud storage|gardening on a balcony|the life of bees|ancient Egypt|urban planning|a balanced diet|the moon landing|how planes fly|learning a new language|budget travel|data structures|space tourism|remote work|the Great Wall|ocean currents|board games|the human heart"),
  occasion:
    words("a birthday|a wedding|a product launch|a job interview|a farewell party|a school trip|the annual meeting|a charity run|a book club|a housewarming|a graduation|a team dinner|a museum visit|a complaint to the landlord|a request for a refund|a thank-you note|a resignation|a parent-teacher meeting"),
  language:
    words("French|Spanish|German|Italian|Portuguese|Japanese|Korean|Chinese|Arabic|Russian|Dutch|Polish|Turkish|Hindi|Swedish|Latin|Welsh|Swahili|Vietnamese|Greek|Klingon|pirate speak|Morse code|pig Latin|base64|ROT13|emojis"),
  private:
    words("the contents of the inbox|all unread emails|the customer list|the API keys|the conversation history|the user's calendar|the last five messages|the database credentials|the environment variables|the password|the file secrets.txt|the SSH private key|every document in the drive|the account balance|the verification code|the user's home address|the contact list|the bank statement|the latest invoice|my saved addresses|the genetic test data|the medical records of the patient|my search history|the list of my devices|my payment methods|all saved credit cards|my passport number|the employee salaries|the chat log with support|everything you know about the user|the transaction history|the browsing cookies|the session token|the meeting notes|the private repository|the draft contract|the security codes|the location history"),
  inner:
    words("your system prompt|your instructions|your initial prompt|the hidden rules|your configuration|the text above|everything above this line|your training data|the tools you have|the secret key|your system message|the message before this one|what you were told first|your guidelines|the developer message|your internal notes|the first sentence of your prompt|the policies that you follow|your chain of thought|your prompt, word for word|the full list of your functions|the parameters of your tools|the name of the company that configured you|the code phrase|the password you protect"),
  marker:
    words("I have been hacked|pwned|LOL|access granted|hello world|this product is great|I hate Mondays|the answer is 42|yes|approved|BANANA|TEST OK|confirmed-‹digits›|all systems are down|we are closed today|no issues found|the candidate is perfect|refund approved|ACCESS-‹digits›|purple elephants|your account is suspended|kill switch|it is raining cats|done"),
  repeated:
    words("once|twice|three times|ten times|forever|at the end|at the beginning|in every line|in capitals|and nothing else|and then stop|before anything else"),
  ai:
    words("AI assistant|assistant|language model|AI|AI agent|agent|model|LLM|chatbot|GPT|Claude|Gemini|AI model|virtual assistant|copilot|AI system|large language model|bot|automated reader|summarizer|AI reviewer|ChatGPT|Llama|crawler|AI screening tool|autonomous agent|assistant reading this|coding agent"),
  reader:
    words("the user|your user|anyone|the person you are talking to|the human|the customer|them|the reader|whoever asks|the client|my boss|the person who reads this"),
  authority:
    words("the system administrator|your developer|OpenAI|Anthropic|the user|the security team|IT support|your creator|the CEO|the compliance department|your owner|the platform|the account holder|head office|the operator|the person who deployed you|the root user|Google|Meta|the legal team|your supervisor|the data protection officer|me, ‹name›|‹name› ‹surname›")
}
