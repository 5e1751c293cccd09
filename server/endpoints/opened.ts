import {Problem} from "../../shared/problems.ts"
import {refused} from "../../shared/sdk/adapter/refusal.ts"
import {type Sender, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import {isElement, type Node} from "../../shared/sdk/content/elements.ts"
import {storedHash} from "../../shared/sdk/content/file-source.ts"
import type {Login} from "../../shared/sdk/content/satori.ts"
import {fieldsOf, isId} from "../../shared/sdk/session/values.ts"
import type {Running} from "../runtime/flow/running.ts"
import type {EndpointSpec} from "./spec.ts"
import {type OpenShown, withContent, withUploads} from "./uploads.ts"

/** The largest cursor, in characters: a cursor is a position, not a data store. */
const longestCursor = 64 * 1024

/** Throws `event_invalid` for an invalid cursor. */
export const requireCursor = (cursor: unknown) => {
  if (cursor === undefined) return
  const isKept = typeof cursor === "string" && cursor.length <= longestCursor && cursor.isWellFormed()
  if (!isKept || cursor.includes("\0"))
    throw new Problem(
      "event_invalid",
      `the cursor must be text of at most ${longestCursor} characters, without NUL and in well-formed Unicode`,
    )
}

/** Throws a refusal if `open` resolved to anything but a sender. */
export const requireSender = (opened: unknown): Sender => {
  if (typeof fieldsOf(opened).send === "function") return opened as Sender
  throw refused("open resolved to an object without send", {
    reason: "sender",
    remediation: "Have open resolve to {send, …} in the adapter.",
  })
}

/** Returns who the bot is, according to the adapter. Throws a refusal for an invalid login. */
export const requireLogin = (login: Login): Login => {
  const {platform, user} = fieldsOf(login)
  if (isId(platform) && (user === undefined || isId(fieldsOf(user).id))) return login
  throw refused("login needs platform as text and, if it has a user, the id of that user", {
    reason: "login",
    remediation: "Correct the value that the adapter passes to endpoint.login.",
  })
}

/** Removes the addresses of stored files for an adapter without files, which gets only their names. */
const withoutFiles = (nodes: readonly Node[]): readonly Node[] =>
  nodes.every(node => !isElement(node)) ? nodes : nodes.map(withoutFile)

const withoutFile = (node: Node): Node => {
  if (!isElement(node)) return node
  const {src, ...attrs} = node.attrs
  const children = withoutFiles(node.children)
  return storedHash(src) === undefined ? {...node, children} : {...node, attrs, children}
}

/** Returns the sender with its calls in `calls`, except `history`: its pages are read again after an end. */
const countedIn = (calls: Running, sender: Sender): Sender => {
  const counted = Object.entries(sender).map(([name, act]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    name === "history" ? act : (...args: unknown[]) => calls.add(async () => act(...args)),
  ])
  return Object.fromEntries(counted)
}

/** Runs the sender's functions on behalf of its plugin, for late errors and for the log. */
export const ownedBy = (spec: EndpointSpec, opened: Sender, open: OpenShown, calls: Running): Sender =>
  countedIn(calls, asPlugin(spec, opened, open))

const asPlugin = ({own, features}: EndpointSpec, opened: Sender, open: OpenShown): Sender => {
  const acts = Object.fromEntries(
    [...senderFeatures, "call" as const].flatMap(name => {
      const act = opened[name] as ((...args: unknown[]) => unknown) | undefined
      return act === undefined ? [] : [[name, (...args: unknown[]) => own(async () => act.apply(opened, args))]]
    }),
  ) as Omit<Sender, "send">
  const send: Sender["send"] = (message, signal) => own(() => opened.send(message, signal))
  if (features.includes("upload")) return withUploads({...acts, send}, open)
  if (features.includes("files")) return {...acts, send}
  return withContent({...acts, send}, async content => withoutFiles(content))
}
