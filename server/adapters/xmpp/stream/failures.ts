import type {Element} from "@xmpp/client"
import {refused} from "../../../../shared/sdk/sdk.ts"
import {ns} from "./names.ts"

/** An error answer of a server or a peer (RFC 6120, section 8.3). */
export class StanzaFailure extends Error {
  readonly condition: string
  /** `auth`, `cancel`, `continue`, `modify` or `wait`. */
  readonly type: string

  constructor(condition: string, type: string, text: string) {
    super(text === "" ? condition : `${condition}: ${text}`)
    this.condition = condition
    this.type = type
  }
}

/** Reads the failure in a stanza of type `error`. */
export const failureIn = (stanza: Element): StanzaFailure => {
  const error = stanza.getChild("error")
  const parts = error?.getChildElements().filter(part => part.getNS() === ns.stanzas) ?? []
  const condition = parts.find(part => !part.is("text"))
  const text = parts.find(part => part.is("text"))
  return new StanzaFailure(
    condition?.name ?? "undefined-condition",
    error?.attrs.type ?? "cancel",
    text?.getText() ?? "",
  )
}

/** Conditions for which a retry may succeed, whatever their type: the bot reenters a room after it was removed. */
const passing = new Set(["not-acceptable", "recipient-unavailable", "remote-server-timeout", "resource-constraint"])

/** Whether to retry. The type `wait` says so; errors of other types are permanent. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof StanzaFailure) || error.type === "wait" || passing.has(error.condition)

const remedies: Readonly<Record<string, string>> = {
  forbidden: "Give the bot the right: voice to speak in a moderated room, the role moderator to act on others.",
  "not-allowed": "Give the bot a higher affiliation than the user, such as owner.",
  "not-authorized": "Give the bot the right, in the room or on the server.",
  "item-not-found": "Use an existing target: a user in the room, or a message in the archive.",
  "service-unavailable":
    "Use an existing account. Some servers answer this too if the user accepts no messages from strangers.",
  "remote-server-not-found": "Correct the part after the @: the account's server finds no server of this name.",
  "jid-malformed": "Use an address such as ann@example.org.",
}

/** Converts the error of an act: to a refusal if a retry would not help. */
export const outcomeOf = (what: string, error: unknown): unknown => {
  if (!(error instanceof StanzaFailure)) return error
  const message = `${what}: ${error.message}`
  if (isPassing(error)) return new Error(message)
  const remediation = remedies[error.condition] ?? "Ask the server's operators what the error means."
  return refused(message, {reason: `xmpp_${error.condition.replaceAll("-", "_")}`, remediation})
}

interface LibraryError extends Error {
  readonly condition?: string
}

const passingLogins = new Set(["aborted", "temporary-auth-failure"])

/** Explains why a login failed, or why the server ended the stream. */
export const streamFailure = (error: LibraryError, jid: string): Error => {
  const {name, condition, message} = error
  if (name === "SASLError" && !passingLogins.has(condition ?? "")) return loginRefused(jid, message)
  // The server offers no mechanism that the library may use without encryption.
  if (/^SASL: Mechanism undefined/.test(message))
    return loginRefused(jid, "the server accepts the password only over TLS")
  if (name !== "StreamError") return error
  if (condition === "conflict")
    return refused(`another client has logged in as ${jid} with the same resource`, {
      passing: true,
      reason: "conflict",
      remediation: "Give each Host a different resource in the account.",
    })
  if (condition === "host-unknown" || condition === "not-authorized")
    return refused(`the server refused ${jid}: ${message}`, {
      passing: condition === "host-unknown",
      reason: condition === "not-authorized" ? "credentials" : "target_unknown",
      remediation: "Correct jid, and service if the account has one.",
    })
  return new Error(`the server ended the stream: ${message}`)
}

const loginRefused = (jid: string, why: string): Error =>
  refused(`the server refused the login as ${jid}: ${why}`, {
    reason: "credentials",
    remediation:
      "Correct jid and the variable that password names; ask the server's operators whether the account is enabled.",
  })
