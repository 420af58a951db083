/**
 * Further fields of every request, as whoever makes the layer of a model names them.
 */
import { type Result, Schema } from "effect"

/**
 * Reads parameters: JSON, and none of the fields that the layer has to send itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const decoder = (
  own: ReadonlySet<string>
): (parameters: unknown) => Result.Result<Schema.JsonObject, Schema.SchemaError> =>
  Schema.decodeUnknownResult(Schema.JsonObject.check(Schema.makeFilter((parameters) => {
    const named = Object.keys(parameters).filter((name) => own.has(name))
    return named.length === 0 ||
      `${named.map((name) => `\`${name}\``).join(", ")}: the layer of the model sends this itself`
  })))
