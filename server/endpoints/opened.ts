import {Problem} from "../../shared/problems.ts"
import {refused} from "../../shared/sdk/adapter/refusal.ts"
import {type Sender, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import {isElement, type Node} from "../../shared/sdk/elements.ts"
import {storedHash} from "../../shared/sdk/files/file-source.ts"
import type {Login} from "../../shared/sdk/satori.ts"
import {fieldsOf, isId} from "../../shared/sdk/values.ts"
import type {EndpointSpec} from "./spec.ts"
import {type OpenShown, withUploads} from "./uploads.ts"

/** A cursor is a place, not a store: as long as this, in characters. */
const longestCursor = 64 * 1024

/** Throws `event_invalid`. */
export const requireCursor = (cursor: unknown) => {
  if (cursor === undefined) return
  const isKept = typeof cursor === "string" && cursor.length <= longestCursor && cursor.isWellFormed()
  if (!isKept || cursor.includes("\0"))
    throw new Problem(
      "event_invalid",
      `the cursor must be text of at most ${longestCursor} characters, without NUL and in whole Unicode characters`,
    )
}

/** Throws a refusal where `open` resolved to anything else than a sender. */
export const requireSender = (opened: unknown): Sender => {
  if (typeof fieldsOf(opened).send === "function") return opened as Sender
  throw refused("open resolved to an object without send", {
    reason: "sender",
    remediation: "Have open resolve to {send, …} in the adapter.",
  })
}

/** Who the bot is, as the adapter says it. Throws a refusal for what is no login. */
export const requireLogin = (login: Login): Login => {
  const {platform, user} = fieldsOf(login)
  if (isId(platform) && (user === undefined || isId(fieldsOf(user).id))) return login
  throw refused("login needs platform, a text, and the id of user where it has one", {
    reason: "login",
    remediation: "Correct what the adapter hands to endpoint.login.",
  })
}

/** An adapter that takes no files gets the name of a stored one. */
const withoutFiles = (nodes: readonly Node[]): readonly Node[] =>
  nodes.every(node => !isElement(node)) ? nodes : nodes.map(withoutFile)

const withoutFile = (node: Node): Node => {
  if (!isElement(node)) return node
  const {src, ...attrs} = node.attrs
  const children = withoutFiles(node.children)
  return storedHash(src) === undefined ? {...node, children} : {...node, attrs, children}
}

/** What it does is its plugin's: what is thrown late there, and what is logged. */
export const ownedBy = ({own, features}: EndpointSpec, opened: Sender, open: OpenShown): Sender => {
  const acts = Object.fromEntries(
    [...senderFeatures, "call" as const].flatMap(name => {
      const act = opened[name] as ((...args: unknown[]) => unknown) | undefined
      return act === undefined ? [] : [[name, (...args: unknown[]) => own(async () => act.apply(opened, args))]]
    }),
  ) as Omit<Sender, "send">
  const send: Sender["send"] = (message, signal) => own(() => opened.send(message, signal))
  if (features.includes("upload")) return withUploads({...acts, send}, open)
  if (features.includes("files")) return {...acts, send}
  const {edit} = acts
  return {
    ...acts,
    send: (message, signal) => send({...message, content: withoutFiles(message.content)}, signal),
    ...(edit === undefined
      ? {}
      : {edit: (message, signal) => edit({...message, content: withoutFiles(message.content)}, signal)}),
  }
}
