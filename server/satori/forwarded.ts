import {Problem} from "../../shared/problems.ts"
import type {Feature} from "../../shared/sdk/adapter/sender.ts"
import {callDraft} from "../outbox/draft.ts"
import {act, askMethod, type MethodServices, requireFeature} from "./asking.ts"
import type {KnownLogin} from "./protocol.ts"

/** `read`: asked of the platform now. `act`: a row of the outbox. `make`: an act that answers what it made, from `from`. */
type Kind = {readonly is: "read"} | {readonly is: "act"} | {readonly is: "make"; readonly from: string}

const read: Kind = {is: "read"}
const done: Kind = {is: "act"}

/** Methods of Satori v1 that an endpoint's adapter answers where its `features` name them; see `Sender.call`. */
const forwarded: Readonly<Record<string, Kind>> = {
  "channel.list": read,
  "channel.create": {is: "make", from: "data"},
  "channel.update": done,
  "channel.delete": done,
  "channel.mute": done,
  "reaction.clear": done,
  "reaction.list": read,
  "guild.list": read,
  "guild.approve": done,
  "guild.member.get": read,
  "guild.member.list": read,
  "guild.member.kick": done,
  "guild.member.mute": done,
  "guild.member.approve": done,
  "guild.member.role.set": done,
  "guild.member.role.unset": done,
  "guild.member.role.list": read,
  "guild.role.list": read,
  "guild.role.create": {is: "make", from: "role"},
  "guild.role.update": done,
  "guild.role.delete": done,
  "friend.list": read,
  "friend.delete": done,
  "friend.approve": done,
}

/** Answers of the Host's own that an adapter may answer better. */
const askedFirst: ReadonlySet<string> = new Set(["message.get", "channel.get", "user.get", "guild.get"])

/** Would a login whose adapter declares this feature answer it as a method? */
export const isForwarded = (feature: string): boolean => Object.hasOwn(forwarded, feature) || askedFirst.has(feature)

/** Needs what no act of a platform stands for: files that the Host would keep. */
const absent: ReadonlySet<string> = new Set(["upload.create"])

/** Throws `not_found` for what is no method of Satori, `not_implemented` for one that the login's platform has not. */
export const forward = async (
  services: MethodServices,
  login: KnownLogin,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  if (absent.has(method)) throw new Problem("not_implemented", `${method} is not answered by the Host`)
  const kind = Object.hasOwn(forwarded, method) ? forwarded[method] : undefined
  if (kind === undefined) throw new Problem("not_found", `Satori v1 has no method ${method.slice(0, 100)}`)
  requireFeature(services, login, method as Feature)
  if (kind.is === "read") return askMethod(services, login, method, params)
  const draft = callDraft(login.endpoint, {method, params})
  const ids = await act(services, draft)
  if (kind.is === "act") return {}
  const [id] = ids ?? []
  if (id !== undefined) return {...asObject(params[kind.from]), id}
  throw new Problem("platform_failed", `the platform has given no id yet; the outbox has the act as ${draft.id}`)
}

const asObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})
