/** The target of a Matrix link (https://spec.matrix.org/v1.15/appendices/#uris). */
export type Named = {readonly is: "user" | "room"; readonly id: string}

const sigils: Readonly<Record<string, string>> = {u: "@", r: "#", roomid: "!"}

/** Returns the user or the room of a matrix.to address or a `matrix:` URI; undefined for any other address. */
export const namedBy = (href: string): Named | undefined => {
  const [, written = ""] = /^https?:\/\/matrix\.to\/#\/([^/?]+)(?:\?.*)?$/i.exec(href) ?? []
  const [, kind = "", rest = ""] = /^matrix:(u|r|roomid)\/([^/?]+)(?:\?.*)?$/i.exec(href) ?? []
  const id = decoded(written) || (rest === "" ? "" : `${sigils[kind.toLowerCase()]}${decoded(rest)}`)
  if (/^@[^:\s]*:\S+$/.test(id)) return {is: "user", id}
  return /^[!#][^\s:]+(:\S+)?$/.test(id) ? {is: "room", id} : undefined
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

export const linkTo = (id: string): string => `https://matrix.to/#/${encodeURIComponent(id)}`

/** Whether a message may contain this link, by its scheme (m.room.message, org.matrix.custom.html). */
export const isLink = (href: string): boolean => /^(https?|ftp):\/\/|^(mailto|magnet):/i.test(href)
