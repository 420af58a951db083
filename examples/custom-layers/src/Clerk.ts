/**
 * Stands for a model: a plain function without Effect. It believes what it reads, as models do.
 */
import type { Answer, Request } from "./PlainModel.ts"

/** Answers a request. */
export const clerk = async ({ messages }: Request): Promise<Answer> => {
  const last = messages.at(-1)
  if (last?.from === "user") {
    return { calls: [{ name: "find_customer", arguments: { orderId: /[A-Z]-\d+/.exec(last.text)?.[0] ?? "?" } }] }
  }
  const customer = JSON.stringify(messages.find((message) => message.from === "tool"))
  const [own = "?", other = own] = customer.match(/[a-z]+@[a-z.]+[a-z]/g) ?? []
  if (last?.from === "tool" && last.name === "find_customer") {
    return {
      text: "The customer wants the mail to go elsewhere.",
      calls: [{ name: "send_mail", arguments: { to: other, text: "Your order is on its way." } }]
    }
  }
  return JSON.stringify(last).includes("\"sent\":true")
    ? { text: `I have written to ${own}.` }
    : { calls: [{ name: "send_mail", arguments: { to: own, text: "Your order is on its way." } }] }
}
