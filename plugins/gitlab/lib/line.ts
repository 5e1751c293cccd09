import {link, type Node} from "svc-runtime"

/** Returns the first line of a text from GitLab, bounded, without characters that turn or hide other text. */
export const lineOf = (text: string, longest = 200): string => {
  const [first = ""] = text.trim().slice(0, 10_000).split("\n")
  const line = first
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
  const characters = Array.from(line)
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : line
}

/** Returns a link, or its text alone if the address is not one of the web. */
export const linked = (address: string, text: Node): Node => {
  const url = address.length <= 2000 ? URL.parse(address) : null
  return url?.protocol === "https:" || url?.protocol === "http:" ? link(url.href, text) : text
}
