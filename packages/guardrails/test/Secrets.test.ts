import { PersonalData } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"

const found = (text: string) =>
  PersonalData.find(text, [PersonalData.secret]).map(({ end, start }) => text.slice(start, end))

/** Chance that is the same every time (mulberry32). */
let state = 17
const below = (most: number): number => {
  state = (state + 0x6d2b79f5) | 0
  const once = Math.imul(state ^ (state >>> 15), 1 | state)
  const twice = (once + Math.imul(once ^ (once >>> 7), 61 | once)) ^ once
  return ((twice ^ (twice >>> 14)) >>> 0) % most
}

const alphabets = {
  hex: "0123456789abcdef",
  lower: "abcdefghijklmnopqrstuvwxyz0123456789",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  word: "ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz0123456789",
  digit: "0123456789"
} as const

const draw = (kind: keyof typeof alphabets, length: number): string =>
  Array.from({ length }, () => alphabets[kind].charAt(below(alphabets[kind].length))).join("")

const uuid = () => [8, 4, 4, 4, 12].map((length) => draw("hex", length)).join("-")

/** How a token of a provider is made, by its public documentation. */
const formats: Readonly<Record<string, () => string>> = {
  "GitHub, classic": () => `ghp_${draw("word", 36)}`,
  "GitHub, OAuth": () => `gho_${draw("word", 36)}`,
  "GitHub, server": () => `ghs_${draw("word", 36)}`,
  "GitHub, fine-grained": () => `github_pat_${draw("word", 22)}_${draw("word", 59)}`,
  "GitLab": () => `glpat-${draw("word", 20)}`,
  "GitLab, runner": () => `glrt-${draw("word", 20)}`,
  "GitLab, incoming mail": () => `glimt-${draw("word", 25)}`,
  "Slack, bot": () => `xoxb-${draw("digit", 12)}-${draw("digit", 13)}-${draw("word", 24)}`,
  "Slack, app": () => `xapp-1-A${draw("upper", 10)}-${draw("digit", 13)}-${draw("hex", 64)}`,
  "Stripe, live": () => `sk_live_${draw("word", 24)}`,
  "Stripe, restricted": () => `rk_test_${draw("word", 24)}`,
  "Stripe, webhook": () => `whsec_${draw("word", 32)}`,
  "AWS, key id": () => `AKIA${draw("upper", 16)}`,
  "AWS, session": () => `ASIA${draw("upper", 16)}`,
  "Google, API": () => `AIza${draw("word", 35)}`,
  "Google, client secret": () => `GOCSPX-${draw("word", 28)}`,
  "Azure, client secret": () => `${draw("word", 3)}8Q~${draw("word", 34)}`,
  "npm": () => `npm_${draw("word", 36)}`,
  "PyPI": () => `pypi-AgEIcHlwaS5vcmc${draw("word", 80)}`,
  "Docker": () => `dckr_pat_${draw("word", 27)}`,
  "Twilio": () => `SK${draw("hex", 32)}`,
  "SendGrid": () => `SG.${draw("word", 22)}.${draw("word", 43)}`,
  "Mailgun": () => `key-${draw("hex", 32)}`,
  "Mailchimp": () => `${draw("hex", 32)}-us14`,
  "Shopify": () => `shpat_${draw("hex", 32)}`,
  "Square": () => `sq0csp-${draw("word", 43)}`,
  "Telegram": () => `${draw("digit", 10)}:AA${draw("word", 33)}`,
  "Heroku": () => `HRKU-${draw("word", 60)}`,
  "DigitalOcean": () => `dop_v1_${draw("hex", 64)}`,
  "Databricks": () => `dapi${draw("hex", 32)}`,
  "Hugging Face": () => `hf_${draw("word", 34)}`,
  "OpenAI, project": () => `sk-proj-${draw("word", 80)}`,
  "Anthropic": () => `sk-ant-api03-${draw("word", 93)}AA`,
  "Terraform": () => `${draw("word", 14)}.atlasv1.${draw("word", 67)}`,
  "Vault": () => `hvs.${draw("word", 24)}`,
  "Grafana": () => `glsa_${draw("word", 32)}_${draw("hex", 8)}`,
  "Linear": () => `lin_api_${draw("word", 40)}`,
  "Notion": () => `ntn_${draw("word", 46)}`,
  "Figma": () => `figd_${draw("word", 40)}`,
  "Postman": () => `PMAK-${draw("hex", 24)}-${draw("hex", 34)}`,
  "HubSpot": () => `pat-na1-${uuid()}`,
  "Airtable": () => `pat${draw("word", 14)}.${draw("hex", 64)}`,
  "LaunchDarkly": () => `sdk-${uuid()}`,
  "Tailscale": () => `tskey-auth-${draw("word", 17)}-${draw("word", 32)}`,
  "Sourcegraph": () => `sgp_${draw("hex", 16)}_${draw("hex", 40)}`,
  "Render": () => `rnd_${draw("word", 32)}`,
  "Apify": () => `apify_api_${draw("word", 36)}`,
  "ElevenLabs": () => `sk_${draw("hex", 48)}`,
  "Langfuse": () => `sk-lf-${uuid()}`,
  "Asana": () => `2/${draw("digit", 16)}/${draw("digit", 16)}:${draw("hex", 32)}`,
  "Firebase": () => `AAAA${draw("word", 7)}:${draw("word", 140)}`,
  "Salesforce": () => `00D${draw("word", 12)}!AQ${draw("word", 90)}`,
  "1Password": () => `ops_eyJ${draw("word", 200)}`,
  "Discord": () => `MT${draw("word", 24)}.${draw("word", 6)}.${draw("word", 38)}`,
  "Scalingo": () => `tk-us-${draw("word", 48)}`,
  "encrypted JSON Web Token": () =>
    `eyJ${draw("word", 50)}.${draw("word", 342)}.${draw("word", 16)}.${draw("word", 90)}.${draw("word", 22)}`,
  "JSON Web Token": () => `eyJ${draw("word", 33)}.eyJ${draw("word", 80)}.${draw("word", 43)}`
}

describe("PersonalData.secret", () => {
  for (const [provider, make] of Object.entries(formats)) {
    it(`finds tokens of ${provider}, alone and among others, and not what only looks like one`, () => {
      for (let round = 0; round < 6; round++) {
        const token = make()
        for (
          const text of [
            token,
            `use ${token} for it`,
            `{"value": "${token}"}`,
            `curl -H 'X-Auth: ${token}' https://x`,
            `(${token}).`
          ]
        ) {
          assert.deepStrictEqual(found(text), [token], text)
        }
      }
      // As it stands in documentation: the same shape of one letter.
      const example = make().replace(/[A-Za-z0-9]{12,}/g, (part) => "x".repeat(part.length))
      assert.deepStrictEqual(found(`like ${example}`), [], example)
    })
  }

  it("finds what is said to be one, in the ways in which it is said", () => {
    const value = "tR4ub-4dor!3x"
    const token = draw("word", 40)
    for (
      const [text, secret] of [
        [`password=${value}`, value],
        [`"password": "${value}"`, value],
        [`DB_PASSWORD: ${value}`, value],
        [`mysql --user=app --password ${value} shop`, value],
        [`curl -u dana:${value} https://api.example.com`, value],
        [`machine api.example.com login dana password ${value}`, value],
        [`<password>${value}</password>`, value],
        [`Server=db;User Id=app;Password=${value};Encrypt=true`, value],
        [`Endpoint=sb://x.servicebus.example/;SharedAccessKey=${token}=`, `${token}=`],
        [`DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${token}==;`, `${token}==`],
        [`https://x.blob.example/f?sv=2024-01-01&sig=${draw("word", 43)}%3D&se=1`, undefined],
        [`redis://:${value}@cache:6379/0`, value],
        [`mongodb+srv://app:${value}@cluster0.example.net`, value],
        [`Authorization: Basic ${Buffer.from(`dana:${token}`).toString("base64")}`, undefined],
        [`authorization: bearer ${token}`, token],
        [`X-Api-Key: ${token}`, token],
        [`export SLACK_SIGNING_SECRET='${token}'`, token],
        [`  token: "${token}"`, token]
      ] as const
    ) {
      const all = found(text)
      if (secret === undefined) assert.lengthOf(all, 1, text)
      else assert.deepStrictEqual(all, [secret], text)
    }
  })

  it("finds passwords by what they are called in other languages, in sentences, commands, functions and pairs", () => {
    const value = "tR4ub-4dor!3x"
    for (
      const text of [
        "PGPASSWORD=@ psql",
        "\"db_pass\":\"@\"",
        "smtp_pass = @",
        "pw: @",
        "psk=\"@\"",
        "WPA2 key: @",
        "Passwort: @",
        "Mot de passe : @",
        "contraseña=@",
        "Senha: @",
        "Hasło: @",
        "Пароль: @",
        "密码：@",
        "パスワード: @",
        "비밀번호: @",
        "كلمة المرور: @",
        "รหัสผ่าน: @",
        "The password is @, please change it",
        "Das Passwort lautet @.",
        "le mot de passe est \"@\"",
        "login jo, password @",
        "sshpass -p @ ssh host",
        "docker login -u jo -p @ registry.example",
        "mysql -u root -p@ shop",
        "redis-cli -h cache -a @ ping",
        "openssl rsa -passin pass:@ -in k.pem",
        "keytool -storepass @ -list",
        "db.example:5432:app:svc:@",
        "ldapsearch -D cn=admin -w @ -b dc=x",
        "mongosh -u root -p @ shop",
        "unzip -P @ a.zip",
        "htpasswd -b .htpasswd jo @",
        "IDENTIFIED BY '@'",
        "auth=(\"jo\", \"@\")",
        "mot de passe provisoire : @",
        "Su contraseña temporal es @",
        "Пароль от wifi: @",
        "username jo password 7 @",
        "<entry key=\"db.password\">@</entry>",
        "define('DB_PASSWORD', '@');",
        "<add key=\"SmtpPassword\" value=\"@\" />",
        "- name: DB_PASSWORD\n  value: @",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"@\"}"
      ]
    ) assert.deepStrictEqual(found(text.replace("@", value)), [value], text)
    assert.deepStrictEqual(found("passcode: 482913"), ["482913"])
    assert.deepStrictEqual(found("\"clientSecret\": \"4cQ9vLz1\""), ["4cQ9vLz1"])
  })

  it("finds keys by what they are called, in words and in variables, and in signed URLs", () => {
    const token = draw("word", 40)
    const id = uuid()
    for (
      const [text, value] of [
        ["The API key is @.", token],
        ["twilio auth token @", token],
        ["Der API-Schlüssel ist @", token],
        ["La clé d'API est @", token],
        ["API密钥：@", token],
        ["eth private key: @", token],
        ["ALGOLIA_ADMIN_KEY=@", token],
        ["PresharedKey = @", token],
        ["токен: @", token],
        ["访问令牌：@", token],
        ["Geheimer Schlüssel: @", token],
        ["The bot token for staging is @, keep it", token],
        ["const TOKEN: &str = \"@\";", token],
        ["<string name=\"api_key\">@</string>", token],
        ["https://@@git.example.com/o/r.git", token],
        ["JSESSIONID=@", token],
        ["//registry.example/:_authToken=@", id],
        ["\"apiKey\":\"@\"", id],
        ["https://b.s3.example/k?X-Amz-Expires=300&X-Amz-Signature=@", draw("hex", 64)],
        ["client-key-data: @", `LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo${draw("word", 200)}`]
      ] as const
    ) assert.deepStrictEqual(found(text.replace("@", value)), [value], text)
  })

  it("finds passwords that commands read, that functions are given, and that are spoken of without a blank", () => {
    for (
      const text of [
        "echo tR4ub-4dor3x | sudo -S apt-get update",
        "echo 'jo:tR4ub-4dor3x' | chpasswd",
        "echo tR4ub-4dor3x | docker login -u jo --password-stdin",
        "http -a jo:tR4ub-4dor3x GET api.example.com",
        "jdbc:oracle:thin:hr/tR4ub-4dor3x@//ora1:1521/XE",
        "sqlplus hr/tR4ub-4dor3x@ora1",
        "requirepass tR4ub-4dor3x",
        "net use Z: \\\\fs\\share tR4ub-4dor3x /user:jo",
        "creds for grafana -> admin / tR4ub-4dor3x",
        "credentials: jo:tR4ub-4dor3x",
        "user.setPassword(\"tR4ub-4dor3x\");",
        "密码是tR4ub-4dor3x，不要告诉别人",
        "パスワードはtR4ub-4dor3xです",
        "variable \"db_password\" {\n  default = \"tR4ub-4dor3x\"\n}",
        "$env:API_SECRET = \"tR4ub-4dor3x\"",
        "password_confirmation=tR4ub-4dor3x&commit=1",
        "DB_PASSWORD_PROD=tR4ub-4dor3x",
        "password2=tR4ub-4dor3x",
        "SESSION_SECRET=tR4ub-4dor3x",
        "define( 'DB_PASSWORD', 'tR4ub-4dor3x' );",
        "await page.fill(\"#password\", \"tR4ub-4dor3x\");",
        "the password should be tR4ub-4dor3x, not the old one"
      ]
    ) assert.deepStrictEqual(found(text), ["tR4ub-4dor3x"], text)
    assert.deepStrictEqual(found("passphrase: \"correct horse battery staple\""), ["correct horse battery staple"])
  })

  it("finds keys behind any scheme, in more commands and functions, and identifiers that a variable calls a token", () => {
    const token = draw("word", 40)
    const id = uuid()
    for (
      const [text, value] of [
        ["Authorization: SSWS @", token],
        ["Authorization: GenieKey @", id],
        ["authorization: Splunk @", id],
        ["CODECOV_TOKEN=@", id],
        ["appKey: @", token],
        ["segment write key: @", token],
        ["api key for the weather service is @", token],
        ["client.setToken('@')", token],
        ["new KeyCredential(\"@\")", token],
        ["license_key: @", token],
        ["https://@:x-oauth-basic@git.example.com", `ghp_${draw("word", 36)}`],
        [".dockerconfigjson: @", `eyJhdXRocyI6${draw("word", 80)}`],
        ["wandb login @", token],
        ["sonar-scanner -Dsonar.login=@", token],
        ["密钥是@", token],
        ["PAGER_TOKEN: @", "uQgwbmmUJfdomJYtjicU"],
        ["dsn https://@@o1.ingest.example.io/1", "71966091133aa170382e66e8b826433d"],
        ["SECRET_KEY = \"@\"", "django-insecure-9!m&-!_c7)z&om85g(&b2c^e$!e!-a!e%c0_13^!kc5o"],
        ["Private-Lines: 2\n@\nPrivate-MAC: 0", `${draw("word", 64)}\n${draw("word", 20)}`]
      ] as const
    ) assert.deepStrictEqual(found(text.replace("@", () => value)), [value], text)
  })

  it("leaves the names of keys, of functions and of fields", () => {
    for (
      const text of [
        "a key begins with -----BEGIN RSA PRIVATE KEY-----",
        "password: Passwort",
        "\"password\": \"Contraseña\"",
        "Password: Incorrect",
        "passphrase: \"please enter the phrase that you were given\"",
        "setPassword(\"\")",
        "getPassword(\"db-main-2\")",
        "setPassword(encoder.encode(password1))",
        "密码是必填项",
        "echo $PASS1234 | sudo -S ls",
        "echo build-42a | tee log",
        "variable \"region\" {\n  default = \"eu-central-1\"\n}",
        "api_key: YourAPIKeyGoesHere",
        "Authorization: Bearer authentication",
        "Struct({ password: Schema.String, x })",
        "password: Schema.Uint8ArrayFromBase64,",
        "password: BinaryLike, salt: BinaryLike",
        "(secret: Uint8Array, password: Uint8Array)",
        "psk: NodeJS.ArrayBufferView;",
        "password: URLPatternComponentResult;",
        "user: auth[0], password: auth[1],",
        "const password = yield* prompt",
        "password = security?.basic.password",
        "data.password === data.confirm",
        "password: newInput,",
        "const specialToken = nextSpecialMatch[1]",
        "Authorization: AWS4-HMAC-SHA256 is used",
        "password: vault:secret/data/db2#pw",
        "token_test: test_token_refresh_1",
        "secret: my-app-v2",
        `"changeToken": "${uuid()}"`
      ]
    ) assert.deepStrictEqual(found(text), [], text)
  })

  it("leaves what is no password where one is spoken of", () => {
    for (
      const text of [
        "The password is required.",
        "password is 12-character long",
        "The password is SHA256-hashed",
        "password: String!",
        "password: !vault |",
        "password reset requested by user4412",
        "PASS: test_login2",
        "[\"password\", \"created_at\"]",
        "password: hashedPassword,",
        "password: CHANGE_ME",
        "password: insert-password-here",
        "The password was changed on 2026-03-14.",
        "password is at least 10chars long",
        "PublicKeyToken=b77a5c561934e089",
        `"ChangeToken": "${uuid()}"`,
        "PRIMARY_KEY=b77a5c561934e089b77a5c561934e089",
        "sort key b77a5c561934e089b77a5c561934e089",
        "docker run -p 8080:80 nginx"
      ]
    ) assert.deepStrictEqual(found(text), [], text)
  })

  it("leaves what is no secret: placeholders, digests, identifiers, paths, addresses, prose", () => {
    for (
      const text of [
        "password=changeme",
        "password: ********",
        "password = os.environ['PASSWORD']",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "api_key=<your key>",
        "api_key: YOUR_API_KEY_GOES_HERE",
        "PWD=/home/dana/work2",
        "reset your password: https://example.com/reset2",
        "The password must have 8 characters, 1 of them a digit.",
        "next_page_token: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA",
        `sha256:${draw("hex", 64)}`,
        `commit ${draw("hex", 40)}`,
        `request_id=${uuid()}`,
        `etag: "${draw("hex", 32)}"`,
        "sk-learn and sk_buff are names",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "https://user@example.com/path",
        "tokens: 1024, max_tokens: 4096",
        "<token>expired</token>"
      ]
    ) assert.deepStrictEqual(found(text), [], text)
  })
})
