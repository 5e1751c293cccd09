import {isElement, type Node} from "svc-runtime"

/** The longest text that the filters read, in characters. */
export const longestText = 16_384

/** Returns a text without invisible characters and other forms of the same letters. */
export const plain = (text: string): string =>
  text
    .slice(0, longestText)
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")

/** Returns all elements of a message without the quoted one. */
export const elementsIn = (nodes: readonly Node[]): readonly Exclude<Node, string>[] =>
  nodes.flatMap(node => (isElement(node) && node.type !== "quote" ? [node, ...elementsIn(node.children)] : []))

/** Endings of names that are links even alone: common ones that are neither words nor endings of files. */
const certain = new Set(
  (
    "com net org info biz xyz top online site website shop store club click link vip bet casino porn live pro icu cyou " +
    "buzz fun space tech cloud blog news wiki dev io gg tv co eu uk de fr nl ch dk se fi cz sk hu ro bg gr ua ru su kz " +
    "cn hk tw jp kr vn th ir tr br ar mx cl ca au nz za ng tk gq cf рф xn--p1ai"
  ).split(" "),
)

/** Endings that are words or endings of files too, and of which short links are made: links with a path behind them. */
const wordy = new Set(
  "ai am app as at be cc do ga gl id im in is it la li ly md me ml mov my no pl py rs sh so st to us ws zip".split(" "),
)

/** Endings of files that no domain has. */
const files = new Set(
  "bat bin conf cpp cs css csv doc docx exe gif go gz htm html ini jar java jpeg jpg js json jsx kt lock log mjs mp3 mp4 odt pdf php png ppt pptx rb svg tar toml ts tsx txt vue webp xls xlsx xml yaml yml".split(
    " ",
  ),
)

const withScheme = /(?<![a-z])(?:h(?:tt|xx)ps?|s?ftp|tg):[\\/]+(?:\[[\da-f:.]+\]|[^\s<>"|()[\]\\/])[^\s<>"|()[\]]*/gi

const name =
  /(?<![\p{L}\p{N}@/.-])(?:[\p{L}\p{N}-]{1,63}\.){1,20}[\p{L}\p{N}-]{1,63}(?!\.?[\p{L}\p{N}@-])((?::\d{2,5})?(?:\/\S)?)/gu

/** A missing space behind a full stop looks like a name, but begins a word with a capital letter. */
const sentence = /^\p{Lu}\p{Ll}*$/u

/** Returns a name without a scheme if it is a link: see the README. */
const readName = (written: string, rest: string): string | undefined => {
  const labels = written.split(".")
  const isWeb = /^www$/i.test(labels[0] ?? "")
  const isCertain = () => isWeb || certain.has(labels.at(-1)?.toLowerCase() ?? "")
  while (labels.length > 2 && rest === "" && !isCertain() && sentence.test(labels.at(-1) ?? "")) labels.pop()
  const ending = labels.at(-1) ?? ""
  const last = ending.toLowerCase()
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(written)) return /^:|^\/\p{L}/u.test(rest) ? written : undefined
  if (!/^(?:\p{L}{2,24}|xn--[\da-z-]+)$/u.test(last)) return undefined
  const isUnlikely = !wordy.has(last) && (files.has(last) || sentence.test(ending))
  return isCertain() || (rest.includes("/") && !isUnlikely) ? labels.join(".") : undefined
}

/** Returns the links that a message shows or hides behind a text. */
export const linksIn = (text: string, elements: readonly Exclude<Node, string>[]): readonly string[] => {
  const read = plain(text)
  const named = [...read.replace(withScheme, " ").matchAll(name)]
  return [
    ...(read.match(withScheme) ?? []),
    ...named.flatMap(([found, rest = ""]) => readName(found.slice(0, found.length - rest.length), rest) ?? []),
    ...elements.flatMap(({type, attrs}) => (type === "a" && typeof attrs.href === "string" ? [attrs.href] : [])),
  ]
}

/** Returns the host of a link, in lower case and ASCII; undefined for an address of mail and others without a host. */
export const hostOf = (link: string): string | undefined => {
  const address = /^[a-z][a-z\d+-]*:/i.test(link)
    ? link.replace(/^hxxp/i, "http")
    : `https://${link.replace(/^\/+/, "")}`
  if (!URL.canParse(address)) return link
  return new URL(address).hostname.replace(/[^\p{L}\p{N}\]-]+$/u, "") || undefined
}
