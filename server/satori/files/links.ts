import {storedHash} from "../../../shared/sdk/files/file-source.ts"
import type {KnownLogin} from "../protocol.ts"

/** Whose link it is, by the two words of a login. */
interface Owner {
  readonly platform: string
  readonly user: string
}

/** What an `internal:` link of Satori v1 (`internal:{platform}/{user}/{path}`) leads to. */
export type Link =
  /** A file of `data/files/`. */
  | {readonly is: "stored"; readonly sha256: string; readonly name: string | undefined}
  /** The file of an event that came in: the number of the event, and of the file in it. */
  | ({readonly is: "event"; readonly seq: number; readonly number: number} & Owner)
  /** What the login's adapter has put into a message. */
  | ({readonly is: "adapter"; readonly src: string} & Owner)

/** Behind it stand the paths of the Host; adapters use others. */
const own = "_svc"

/** What a link cannot hold as it is. Other characters stay: clients compare platform and user with those of a login. */
const encode = (text: string): string => text.toWellFormed().replace(/[%/?#\\"'<>&\s\p{Cc}]/gu, encodeURIComponent)

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const linkOf = ({platform, user}: Pick<KnownLogin, "platform" | "user">, path: readonly (string | number)[]): string =>
  `internal:${[platform, user.id, own, ...path].map(part => encode(String(part))).join("/")}`

/** The link of a stored file. Its name goes along: nothing else keeps it. */
export const storedLink = (login: KnownLogin, sha256: string, name: string): string =>
  linkOf(login, ["files", sha256, name])

/** The link of a file in an event that came in. */
export const eventLink = (login: KnownLogin, seq: number, number: number, name: string): string =>
  linkOf(login, ["events", seq, number, name])

/** What a link leads to; undefined for what is no internal link, or none of this Host. */
export const readLink = (link: string): Link | undefined => {
  const hash = storedHash(link)
  if (hash !== undefined) return {is: "stored", sha256: hash, name: undefined}
  const [, rest = ""] = /^internal:(.+)$/s.exec(link) ?? []
  const [platform = "", user = "", ...path] = rest.split("/").map(decode)
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
