/**
 * A guardrail: a mail goes to the address that the office has of the customer, whatever else the model has read.
 */
import type { Guardrails } from "@durable-agents/agent"
import { Effect, Schema } from "effect"
import { Customer } from "./Correspondence.ts"

const isMail = Schema.is(Schema.Struct({ to: Schema.String }))
const isCustomer = Schema.is(Customer)

/** Looks at where a value comes from, not at how the text around it sounds: that cannot be talked out of. */
export const OwnAddress: Guardrails.Guardrail = {
  name: "own-address",
  call: ({ arguments: mail, messages, tool }) =>
    Effect.succeed(tool !== "send_mail" || (isMail(mail) && addresses(messages).includes(mail.to))
      ? []
      : [{
        rule: "foreign_address",
        action: "BLOCK",
        // The model reads this, and may do better. `ESCALATE` would ask a person instead.
        message: "mails go to the address of the customer that you have looked up, and to no other"
      }])
}

/** The addresses that `find_customer` has found in this conversation. */
const addresses = (messages: Guardrails.Call["messages"]): ReadonlyArray<string> =>
  messages.flatMap((message) => {
    if (message.role !== "tool") return []
    return message.content.flatMap((part) =>
      part.type === "tool-result" && part.name === "find_customer" && isCustomer(part.result) ? [part.result.mail] : []
    )
  })
