import {storedHash} from "../../../../shared/sdk/content/file-source.ts"
import {decodePercent} from "../../../runtime/text/percent.ts"
import type {KnownLogin} from "./protocol.ts"

/** The login that a link belongs to. */
interface Owner {
  readonly platform: string
  readonly user: string
}

/** The target of an `internal:` link of Satori v1 (`internal:{platform}/{user}/{path}`). */
export type Link =
  /** A file of `data/files/`. */
  | {readonly is: "stored"; readonly sha256: string; readonly name: string | undefined}
  /** A file of a received event: the event's number, and the file's number in it. */
  | ({readonly is: "event"; readonly seq: number; readonly number: number} & Owner)
  /** A link that the login's adapter put into a message. */
  | ({readonly is: "adapter"; readonly src: string} & Owner)

/** The first segment of the Host's own paths. Adapters use others. */
const own = "_svc"

/** Encodes only what a link cannot contain: clients compare the platform and user in it with a login. */
const encode = (text: string): string => text.toWellFormed().replace(/[%/?#\\"'<>&\s\p{Cc}]/gu, encodeURIComponent)

const linkOf = ({platform, user}: Pick<KnownLogin, "platform" | "user">, path: readonly (string | number)[]): string =>
  `internal:${[platform, user.id, own, ...path].map(part => encode(String(part))).join("/")}`

/** Returns the link of a stored file. The link includes the name, because svc stores it nowhere else. */
export const storedLink = (login: KnownLogin, sha256: string, name: string): string =>
  linkOf(login, ["files", sha256, name])

/** Returns the link of a file in a received event. */
export const eventLink = (login: KnownLogin, seq: number, number: number, name: string): string =>
  linkOf(login, ["events", seq, number, name])

/** Returns the target of a link, or undefined if it is not an internal link of this Host. */
export const readLink = (link: string): Link | undefined => {
  const hash = storedHash(link)
  if (hash !== undefined) return {is: "stored", sha256: hash, name: undefined}
  const [, rest = ""] = /^internal:(.+)$/s.exec(link) ?? []
  const [platform = "", user = "", ...path] = rest.split("/").map(decodePercent)
  if (platform === "" || user === "" || path.length === 0) return undefined
  if (path[0] !== own) return {is: "adapter", platform, user, src: link}
  return ownLink({platform, user}, path.slice(1))
}

const ownLink = (owner: Owner, [kind, first = "", ...more]: readonly string[]): Link | undefined => {
  if (kind === "files" && /^[0-9a-f]{64}$/.test(first)) return {is: "stored", sha256: first, name: more[0]}
  const seq = numberOf(first)
  const number = numberOf(more[0])
  if (kind !== "events" || seq === undefined || number === undefined) return undefined
  return {is: "event", ...owner, seq, number}
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
