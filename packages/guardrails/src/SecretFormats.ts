/**
 * The formats of secrets that providers document: how a token begins, and which characters and how many follow.
 */

/**
 * @category models
 * @since 0.1.0
 */
export interface Format {
  /** The name of what it opens. */
  readonly name: string
  /** Its first characters, at least two; it is looked for only where a text has them. */
  readonly begins: string
  /** The whole of it. */
  readonly pattern: RegExp
}

const base62 = "[A-Za-z0-9]"
const url64 = "[A-Za-z0-9_-]"
const hex = "[a-f0-9]"

/** One line each: name, beginning, and what follows, with bounds. */
const table: ReadonlyArray<readonly [name: string, begins: string, follows: string]> = [
  ["aws_access_key", "AKIA", "[A-Z0-9]{16}"],
  ["aws_access_key", "ASIA", "[A-Z0-9]{16}"],
  ["aws_access_key", "ABIA", "[A-Z0-9]{16}"],
  ["aws_access_key", "ACCA", "[A-Z0-9]{16}"],
  ["aws_bedrock_key", "ABSK", "[A-Za-z0-9+/]{100,280}={0,2}"],
  ["github_token", "ghp_", `${base62}{36,255}`],
  ["github_token", "gho_", `${base62}{36,255}`],
  ["github_token", "ghu_", `${base62}{36,255}`],
  ["github_token", "ghs_", `${base62}{36,255}`],
  ["github_token", "ghr_", `${base62}{36,255}`],
  ["github_fine_grained", "github_pat_", `\\w{36,255}`],
  ["gitlab_token", "glpat-", `${url64}{20,300}(?:\\.${url64}{2,40}){0,3}`],
  ["gitlab_token", "gldt-", `${url64}{20,300}`],
  ["gitlab_token", "glrt-", `${url64}{20,300}(?:\\.${url64}{2,40}){0,3}`],
  ["gitlab_token", "glptt-", `${base62}{40}`],
  ["gitlab_token", "glcbt-", `${url64}{20,300}`],
  ["gitlab_token", "glsoat-", `${url64}{20,300}`],
  ["gitlab_token", "gloas-", `${url64}{20,300}`],
  ["gitlab_token", "glft-", `${url64}{20,300}`],
  ["gitlab_token", "glagent-", `${url64}{50,300}`],
  ["gitlab_token", "GR1348941", `${url64}{20,40}`],
  ["slack_token", "xoxb-", `${url64}{20,255}`],
  ["slack_token", "xoxp-", `${url64}{20,255}`],
  ["slack_token", "xoxa-", `${url64}{20,255}`],
  ["slack_token", "xoxr-", `${url64}{20,255}`],
  ["slack_token", "xoxs-", `${url64}{20,255}`],
  ["slack_token", "xoxo-", `${url64}{20,255}`],
  ["slack_token", "xoxc-", `${url64}{20,255}`],
  ["slack_token", "xoxd-", "[A-Za-z0-9%+/_-]{20,400}"],
  ["slack_token", "xoxe", "[.-](?:xox[bp]-)?[A-Za-z0-9-]{20,255}"],
  ["slack_token", "xapp-", "\\d-[A-Za-z0-9-]{20,255}"],
  ["slack_webhook", "https://hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,120}"],
  ["discord_webhook", "https://discord.com/api/", `webhooks/\\d{15,22}/${url64}{40,100}`],
  ["discord_webhook", "https://discordapp.com/api/", `webhooks/\\d{15,22}/${url64}{40,100}`],
  ["teams_webhook", "https://outlook.office.com/webhook", "[A-Za-z0-9@/_-]{40,240}"],
  ["zapier_webhook", "https://hooks.zapier.com/hooks/", "catch/\\d{3,12}/[A-Za-z0-9/]{4,40}"],
  ["stripe_key", "sk_live_", `${base62}{16,255}`],
  ["stripe_key", "sk_test_", `${base62}{16,255}`],
  ["stripe_key", "rk_live_", `${base62}{16,255}`],
  ["stripe_key", "rk_test_", `${base62}{16,255}`],
  ["stripe_webhook_secret", "whsec_", "[A-Za-z0-9+/=]{24,255}"],
  ["twilio_key", "SK", `${hex}{32}`],
  ["twilio_account", "AC", `${hex}{32}`],
  ["sendgrid_key", "SG.", `${url64}{16,40}\\.${url64}{32,80}`],
  ["sendinblue_key", "xkeysib-", `${hex}{64}-${base62}{16}`],
  ["mailgun_key", "key-", `${hex}{32}`],
  ["npm_token", "npm_", `${base62}{36}`],
  ["pypi_token", "pypi-", `${url64}{50,400}`],
  ["rubygems_key", "rubygems_", `${hex}{48}`],
  ["crates_token", "cio", `${base62}{32}`],
  ["nuget_key", "oy2", "[a-z0-9]{43}"],
  ["clojars_token", "CLOJARS_", `${base62}{60}`],
  ["docker_token", "dckr_pat_", `${url64}{24,60}`],
  ["docker_token", "dckr_oat_", `${url64}{24,60}`],
  ["google_api_key", "AIza", `${url64}{35}`],
  ["google_oauth_secret", "GOCSPX-", `${url64}{24,40}`],
  ["google_oauth_token", "ya29.", `${url64}{20,400}`],
  ["google_refresh_token", "1//0", `${url64}{40,160}`],
  ["openai_key", "sk-", `(?:proj|svcacct|admin|None|service)-${url64}{20,255}`],
  ["openai_key", "sk-", `${base62}{32,64}`],
  ["anthropic_key", "sk-ant-", `${url64}{20,255}`],
  ["openrouter_key", "sk-or-", `v\\d-${base62}{32,80}`],
  ["huggingface_token", "hf_", `${base62}{30,60}`],
  ["huggingface_token", "api_org_", `${base62}{30,60}`],
  ["replicate_token", "r8_", `${base62}{30,60}`],
  ["groq_key", "gsk_", `${base62}{40,80}`],
  ["perplexity_key", "pplx-", `${base62}{40,80}`],
  ["xai_key", "xai-", `${url64}{40,120}`],
  ["fireworks_key", "fw_", `${base62}{20,60}`],
  ["langsmith_key", "lsv2_", `(?:pt|sk)_${base62}{16,64}_${base62}{6,20}`],
  ["pinecone_key", "pcsk_", `\\w{40,120}`],
  ["voyage_key", "pa-", `${url64}{40,80}`],
  ["nvidia_key", "nvapi-", `${url64}{40,120}`],
  ["deepgram_key", "dg_", `${hex}{40}`],
  ["wandb_key", "wandb_v1_", `\\w{40,120}`],
  ["databricks_token", "dapi", `${hex}{32}(?:-\\d)?`],
  ["digitalocean_token", "dop_v1_", `${hex}{64}`],
  ["digitalocean_token", "doo_v1_", `${hex}{64}`],
  ["digitalocean_token", "dor_v1_", `${hex}{64}`],
  ["shopify_token", "shpat_", `[a-fA-F0-9]{32}`],
  ["shopify_token", "shpss_", `[a-fA-F0-9]{32}`],
  ["shopify_token", "shpca_", `[a-fA-F0-9]{32}`],
  ["shopify_token", "shppa_", `[a-fA-F0-9]{32}`],
  ["shopify_token", "shpua_", `[a-fA-F0-9]{32}`],
  ["square_token", "sq0atp-", `${url64}{22,60}`],
  ["square_token", "sq0csp-", `${url64}{43,60}`],
  ["square_token", "sq0idp-", `${url64}{22,60}`],
  ["square_token", "EAAA", `${url64}{56,70}`],
  ["facebook_token", "EAA", `${base62}{60,300}`],
  ["linear_key", "lin_api_", `${base62}{32,64}`],
  ["linear_key", "lin_oauth_", `${base62}{32,80}`],
  ["notion_token", "ntn_", `${base62}{40,60}`],
  ["notion_token", "secret_", `${base62}{32,60}`],
  ["figma_token", "figd_", `${url64}{36,60}`],
  ["figma_token", "figo_", `${url64}{36,60}`],
  ["postman_key", "PMAK-", `${hex}{24}-${hex}{34}`],
  ["doppler_token", "dp.", `(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?${base62}{40,44}`],
  ["vault_token", "hvs.", `${url64}{24,300}`],
  ["vault_token", "hvb.", `${url64}{24,400}`],
  ["vault_token", "hvr.", `${url64}{24,300}`],
  ["netlify_token", "nfp_", `${base62}{32,60}`],
  ["supabase_token", "sbp_", `${hex}{40}`],
  ["supabase_key", "sb_secret_", `${url64}{20,60}`],
  ["planetscale_token", "pscale_", `(?:tkn|pw|oauth|id)_[A-Za-z0-9_.=-]{24,64}`],
  ["grafana_token", "glsa_", `${base62}{32}_[A-Fa-f0-9]{8}`],
  ["grafana_token", "glc_", "[A-Za-z0-9+/]{32,400}={0,2}"],
  ["newrelic_key", "NRAK-", "[A-Z0-9]{27}"],
  ["newrelic_key", "NRII-", `${url64}{32}`],
  ["newrelic_key", "NRJS-", `${hex}{19}`],
  ["sentry_token", "sntrys_", "[A-Za-z0-9+/=_-]{40,400}"],
  ["sentry_token", "sntryu_", `${hex}{64}`],
  ["atlassian_token", "ATATT3", "[A-Za-z0-9_=-]{100,300}"],
  ["atlassian_token", "ATCTT3", "[A-Za-z0-9_=-]{100,300}"],
  ["bitbucket_token", "ATBB", "[A-Za-z0-9_=-]{24,80}"],
  ["airtable_token", "pat", `${base62}{14}\\.${hex}{64}`],
  ["dropbox_token", "sl.", `${url64}{100,300}`],
  ["dynatrace_token", "dt0", "[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"],
  ["easypost_key", "EZAK", `${base62}{54}`],
  ["easypost_key", "EZTK", `${base62}{54}`],
  ["flutterwave_key", "FLWSECK", "[_-](?:TEST-)?[A-Za-z0-9]{12,40}(?:-X)?"],
  ["frameio_token", "fio-u-", "[A-Za-z0-9_=-]{64}"],
  ["age_key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"],
  ["alibaba_key", "LTAI", `${base62}{12,24}`],
  ["tencent_key", "AKID", `${base62}{32}`],
  ["adafruit_key", "aio_", `${base62}{28}`],
  ["contentful_token", "CFPAT-", `${url64}{43}`],
  ["prefect_key", "pnu_", `${base62}{36}`],
  ["pulumi_token", "pul-", `${hex}{40}`],
  ["readme_key", "rdme_", "[a-z0-9]{70}"],
  ["shippo_token", "shippo_", `(?:live|test)_${hex}{40}`],
  ["tailscale_key", "tskey-", "[a-z]{3,12}-[A-Za-z0-9-]{16,80}"],
  ["typeform_token", "tfp_", "[A-Za-z0-9_.=-]{40,80}"],
  ["duffel_token", "duffel_", "(?:live|test)_[A-Za-z0-9_=-]{43}"],
  ["mapbox_token", "sk.eyJ", "[A-Za-z0-9_.-]{40,300}"],
  ["buildkite_token", "bkua_", `${hex}{40}`],
  ["circleci_token", "CCIPAT_", "[A-Za-z0-9_]{40,100}"],
  ["sonar_token", "sqp_", `${hex}{40}`],
  ["sonar_token", "squ_", `${hex}{40}`],
  ["sonar_token", "sqa_", `${hex}{40}`],
  ["jfrog_key", "AKCp", `${base62}{60,80}`],
  ["jfrog_token", "cmVmdGtu", `${base62}{50,80}`],
  ["telegram_bot", "bot", `\\d{8,10}:${url64}{35}`],
  ["onepassword_token", "ops_eyJ", "[A-Za-z0-9+/=_-]{100,1000}"],
  ["deno_token", "ddp_", `${base62}{36}`],
  ["deno_token", "ddo_", `${base62}{36}`],
  ["resend_key", "re_", `${base62}{6,12}_${base62}{20,32}`],
  ["neon_key", "napi_", `${base62}{40,80}`],
  ["rootly_key", "rootly_", `${hex}{64}`],
  ["infracost_key", "ico-", `${base62}{32}`],
  ["harness_token", "pat.", `${url64}{22}\\.${hex}{24}\\.${base62}{20}`],
  ["heroku_key", "HRKU-", `${url64}{36,80}`],
  ["fly_token", "fo1_", `${url64}{43}`],
  ["fly_token", "fm2_", "[A-Za-z0-9+/_=,-]{80,600}"],
  ["fly_token", "FlyV1 ", "[A-Za-z0-9+/_=,-]{40,800}"],
  ["vercel_token", "vcp_", `${base62}{20,80}`],
  ["cloudflare_origin_ca", "v1.0-", `${hex}{24}-${hex}{146}`],
  ["razorpay_key", "rzp_", `(?:live|test)_${base62}{14}`],
  ["plaid_token", "access-", `(?:sandbox|development|production)-${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["launchdarkly_key", "sdk-", `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["paypal_token", "access_token$", `(?:production|sandbox)\\$[0-9a-z]{16}\\$${hex}{32}`],
  ["amazon_mws", "amzn.mws.", `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["amazon_oauth", "amzn1.oa2-cs.v1.", `${hex}{64}`],
  ["azure_devops", "azd", `${base62}{40,90}`],
  ["octopus_key", "API-", "[A-Z0-9]{26,32}"],
  ["scaleway_key", "SCW", "[A-Z0-9]{17}"],
  ["snyk_token", "snyk_uat.", "[A-Za-z0-9_.-]{40,200}"],
  ["yandex_key", "AQVN", `${url64}{35,38}`],
  ["yandex_token", "y0_", `${url64}{40,80}`],
  ["yandex_token", "t1.", `[A-Z0-9a-z_-]{40,400}(?:\\.[A-Za-z0-9_=-]{20,120})?`],
  ["lob_key", "live_", "[a-f0-9]{35}"],
  ["lob_key", "test_", "[a-f0-9]{35}"],
  ["gitlab_token", "glimt-", `${url64}{25,300}`],
  ["gitlab_token", "glffct-", `${url64}{20,300}`],
  ["stripe_key", "sk_org_", `(?:live_|test_)?${base62}{16,255}`],
  ["shopify_token", "shptka_", "[a-fA-F0-9]{32}"],
  ["checkout_key", "sk_sbox_", "[a-z0-9]{26,40}"],
  ["mollie_key", "live_", `${base62}{30,40}`],
  ["elevenlabs_key", "sk_", `${hex}{48}`],
  ["together_key", "tgp_v1_", `${url64}{40,60}`],
  ["langfuse_key", "sk-lf-", `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["cerebras_key", "csk-", `${base62}{40,60}`],
  ["tavily_key", "tvly-", `(?:dev-|prod-)?${base62}{20,60}`],
  ["firecrawl_key", "fc-", `${hex}{32}`],
  ["apify_token", "apify_api_", `${base62}{30,60}`],
  ["sourcegraph_token", "sgp_", `(?:${hex}{16}_|local_)?${hex}{40}`],
  ["render_key", "rnd_", `${base62}{24,60}`],
  ["akamai_token", "akab-", "[a-z0-9]{16}-[a-z0-9]{16}"],
  ["honeycomb_key", "hcaik_", "[a-z0-9]{58}"],
  ["honeycomb_key", "hcxik_", "[a-z0-9]{58}"],
  ["posthog_key", "phx_", `${base62}{40,60}`],
  ["launchdarkly_key", "api-", `${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["hubspot_token", "pat-", `(?:na|eu|ap|au)\\d-${hex}{8}(?:-${hex}{4}){3}-${hex}{12}`],
  ["intercom_token", "dG9rOj", "[A-Za-z0-9+/=_-]{46,60}"],
  ["ntfy_token", "tk_", "[a-z0-9]{29}"],
  ["linkedin_secret", "WPL_AP1.", "[A-Za-z0-9+/=._-]{16,60}"],
  ["twitter_bearer", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{60,200}"],
  ["firebase_key", "AAAA", `${url64}{7}:${url64}{120,160}`],
  ["asana_token", "1/", `\\d{14,18}:${hex}{32}`],
  ["asana_token", "2/", `\\d{14,18}/\\d{14,18}:${hex}{32}`],
  ["vault_token", "s.", `${base62}{24}`],
  ["onesignal_key", "os_v2_app_", "[a-z2-7]{100,120}"],
  ["clickup_token", "pk_", "\\d{6,9}_[A-Z0-9]{32}"],
  ["jwe", "eyJ", `${url64}{8,4096}(?:\\.${url64}{0,4096}){3}\\.${url64}{16,64}`],
  [
    "private_key_base64",
    "LS0tLS1CRUdJTi",
    "[A-Za-z0-9+/]{0,60}(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtF)[A-Za-z0-9+/]{20,8000}={0,2}"
  ],
  ["docker_credentials", "eyJhdXRocyI6", "[A-Za-z0-9+/]{30,8000}={0,2}"],
  ["mandrill_key", "md-", `${url64}{22}`],
  ["jina_key", "jina_", `${base62}{40,80}`],
  ["e2b_key", "e2b_", `${hex}{40}`],
  ["vercel_blob_token", "vercel_blob_rw_", `${base62}{12,20}_${base62}{24,40}`],
  ["scalingo_token", "tk-us-", `${url64}{48}`],
  ...["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"].map((begins) =>
    ["discord_bot", begins, `${base62}{21,26}\\.${url64}{6}\\.${url64}{27,40}`] as const
  ),
  ["jwt", "eyJ", `${url64}{8,4096}\\.eyJ${url64}{4,8192}\\.${url64}{0,1024}`]
]

/**
 * A secret that is known by what stands inside of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Inner {
  readonly name: string
  readonly mark: string
  /** What stands before the mark, up to its end, and what follows. */
  readonly before: RegExp
  readonly after: RegExp
}

const inside: ReadonlyArray<readonly [name: string, mark: string, before: string, after: string]> = [
  ["telegram_bot", ":AA", "\\d{8,10}", `${url64}{33}`],
  ["azure_client_secret", "Q~", "[A-Za-z0-9_~.-]{3}\\d", "[A-Za-z0-9_~.-]{31,34}"],
  ["terraform_token", ".atlasv1.", `${base62}{14}`, "[A-Za-z0-9_=-]{60,70}"],
  ["salesforce_token", "!AQ", "00D[A-Za-z0-9]{12,15}", "[A-Za-z0-9._]{78,120}"],
  ["mailchimp_key", "-us", `${hex}{32}`, "\\d{1,2}"],
  ["teams_webhook", ".webhook.office.com/webhookb2/", "https://[a-z0-9-]{1,24}", "[A-Za-z0-9@/_-]{60,240}"],
  ["signed_url", "-Signature=", "[?&]X-(?:Amz|Goog)", `${hex}{64,1024}`],
  ["azure_signature", "sig=", "[?&]", "[A-Za-z0-9%]{40,60}%3D"]
]

const escape = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}/]/g, "\\$&")

/**
 * @category formats
 * @since 0.1.0
 */
export const formats: ReadonlyArray<Format> = table.map(([name, begins, follows]) => ({
  name,
  begins,
  pattern: new RegExp(`${escape(begins)}(?:${follows})`, "y")
}))

/**
 * @category formats
 * @since 0.1.0
 */
export const inner: ReadonlyArray<Inner> = inside.map(([name, mark, before, after]) => ({
  name,
  mark,
  before: new RegExp(`(?:${before})$`),
  after: new RegExp(after, "y")
}))
