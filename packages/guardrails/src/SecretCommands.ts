/**
 * Passwords in commands and in lines of settings that do not call them so.
 */
import { isPlaceholder, isWhole, kindsOf } from "./SecretLooks.ts"

/** What reads a password that is printed into it. */
const readers =
  "(?=[^\\s|]{6,64}\\s?\\|\\s?(?:sudo\\s(?:-\\w+\\s)?-\\w*S|(?:sudo\\s)?chpasswd|(?:sudo\\s)?passwd\\s--stdin|[^\\n]{2,80}--password-stdin))"

/** What stands before a password, from a word on: commands with a letter for it, functions that take one, lines of `.pgpass`. */
const commands = [
  `echo\\s(?:-[ne]+\\s)?(?:["']?[\\w.-]{1,32}:(?=[^\\s|]{6,64}\\s?\\|\\s?(?:sudo\\s)?chpasswd))?${readers}`,
  "https?\\s(?:[^\\n]{0,80}?\\s)?-a\\s[\\w.@-]{1,64}:",
  "jdbc:oracle:thin:[\\w.-]{1,64}/",
  "sqlplus\\s(?:-\\w+\\s)?[\\w.-]{1,64}/",
  "requirepass\\s+",
  "masterauth\\s+",
  "wandb\\slogin\\s",
  "snyk\\sauth\\s",
  "ngrok\\s(?:config\\sadd-)?authtoken\\s",
  "Dsonar\\.(?:login|token)=",
  "net\\suse\\s\\S{1,4}\\s\\S{3,80}\\s(?!/)",
  "creds(?:\\s[\\w.'-]{1,16}){0,4}:?\\s(?:(?:->|→|-|=|are|is)\\s)?[\\w.@-]{2,32}\\s?[/:]\\s?(?=\\S{0,64}\\d)",
  "credentials(?:\\s[\\w.'-]{1,16}){0,4}:?\\s(?:(?:->|→|-|=|are|is)\\s)?[\\w.@-]{2,32}\\s?[/:]\\s?(?=\\S{0,64}\\d)",
  "sshpass\\s+-p\\s?",
  "docker\\slogin\\s(?:[^\\n]{0,80}?\\s)?-p\\s+",
  "podman\\slogin\\s(?:[^\\n]{0,80}?\\s)?-p\\s+",
  "helm\\sregistry\\slogin\\s(?:[^\\n]{0,80}?\\s)?-p\\s+",
  "az\\slogin\\s(?:[^\\n]{0,80}?\\s)?-p\\s+",
  "redis-cli\\s(?:[^\\n]{0,80}?\\s)?-a\\s+",
  "mysql(?:dump|admin)?\\s(?:[^\\n]{0,80}?\\s)?-p",
  "mongo(?:sh|dump|restore)?\\s(?:[^\\n]{0,80}?\\s)?-p\\s+",
  "ldap(?:search|modify|add|whoami)\\s(?:[^\\n]{0,80}?\\s)?-w\\s+",
  "ssh-keygen\\s(?:[^\\n]{0,80}?\\s)?-N\\s+",
  "(?:un)?zip\\s(?:[^\\n]{0,80}?\\s)?-P\\s+",
  "7z\\s[a-z]\\s(?:[^\\n]{0,80}?\\s)?-p",
  "htpasswd\\s-\\w*b\\w*\\s\\S{1,80}\\s\\S{1,64}\\s+",
  "snmp(?:walk|get|set)\\s(?:[^\\n]{0,80}?\\s)?-[AX]\\s+",
  "snmp-server\\scommunity\\s",
  "smbclient\\s(?:[^\\n]{0,80}?\\s)?-U\\s?[\\w.-]{1,64}%",
  "IDENTIFIED\\sBY\\s",
  "auth\\s?=\\s?\\([\"'][\\w.@-]{1,64}[\"'],\\s?",
  "storepass\\s+",
  "keypass\\s+",
  "pass:",
  "ConvertTo-SecureString\\s+(?:-String\\s+)?",
  "5432:[\\w*-]{1,64}:[\\w-]{1,64}:"
]

const pair = (first: number, second: number): number => (first & 127) << 7 | (second & 127)

/** By the first two characters of them. */
const byCommand: Array<RegExp | undefined> = Array.from({ length: 16384 }, () => undefined)
for (
  const [key, all] of Map.groupBy(
    commands.flatMap((lead) => lead.startsWith("(?:un)?") ? [lead.slice(7), `un${lead.slice(7)}`] : [lead]),
    (lead) => pair(lead.charCodeAt(0), lead.charCodeAt(1))
  )
) byCommand[key] = new RegExp(`(?:${all.join("|")})["']?(?!-)([^\\s"'<>]{6,200})`, "y")

/**
 * What stands where a command that begins here has its password, and whether it is one.
 *
 * @category readers
 * @since 0.1.0
 */
export const startingAt = (text: string, at: number) => {
  const command = byCommand[pair(text.charCodeAt(at), text.charCodeAt(at + 1))]
  if (command === undefined) return undefined
  command.lastIndex = at
  const all = command.exec(text)?.[1]
  if (all === undefined) return undefined
  // Oracle has what it connects to behind the password.
  const value = text.startsWith("jdbc", at) || text.startsWith("sqlplus", at) ? all.replace(/@[\w/].*$/, "") : all
  const start = command.lastIndex - all.length
  return {
    start,
    end: start + value.length,
    fits: kindsOf(value) >= 2 && !isPlaceholder(value) && isWhole(value)
  }
}
