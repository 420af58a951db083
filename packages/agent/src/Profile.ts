/**
 * Profiles: how strict guardrails are, by name.
 */
import { Result, Schema } from "effect"

/**
 * The names of profiles: how strict guardrails are. `validation` is the default; `off` switches all of them off.
 *
 * **Details**
 *
 * All but `off` check arguments, caps and loops. A person is asked about the next call with an effect after 3 violations in a
 * run (`validation`, `standard`), after 5 (`lenient`), after 1 (`strict`). What else differs is up to the guardrails that are
 * provided; they are told the profile.
 *
 * @category models
 * @since 0.1.0
 */
export const Profile = Schema.Literals(["off", "validation", "lenient", "standard", "strict"])

/**
 * @category models
 * @since 0.1.0
 */
export type Profile = typeof Profile.Type

/**
 * There is no guardrail profile of this name.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnknownProfile
  extends Schema.TaggedError<UnknownProfile>("@durable-agents/agent/UnknownProfile")("UnknownProfile", {
    profile: Schema.String
  })
{
  override get message() {
    return `There is no guardrail profile \`${this.profile}\`; the profiles are ${Profile.literals.join(", ")}`
  }
}

/**
 * Reads the name of a profile.
 *
 * @category constructors
 * @since 0.1.0
 */
export const profile = (name: string): Result.Result<Profile, UnknownProfile> =>
  Result.mapError(decodeProfile(name), () => new UnknownProfile({ profile: name }))

const decodeProfile = Schema.decodeUnknownResult(Profile)
