import {type Element, h, isElement, type Node, type StoredFile, textOf} from "../../../../shared/sdk/sdk.ts"
import {lineOf} from "../content/headers.ts"
import {isLink} from "../content/html.ts"

/** The element whose text is the subject of a new mail. */
export const subjectType = "email:subject"

/** A file of the message, with the content id if the HTML shows it. */
export interface Shown {
  readonly file: StoredFile
  readonly cid?: string
}

type FilesOf = ReadonlyMap<Element, Shown>

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "<br>\n",
}

const escaped = (text: string): string => text.replace(/[&<>"\n]/g, character => escapes[character] ?? character)

/** Elements with a counterpart in HTML, and its name there. */
const tags: Readonly<Record<string, string>> = {
  b: "b",
  strong: "b",
  i: "i",
  em: "i",
  u: "u",
  ins: "u",
  s: "s",
  del: "s",
  code: "code",
  sup: "sup",
  sub: "sub",
  p: "p",
  ul: "ul",
  li: "li",
  ...Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map(tag => [tag, tag])),
}

/** Elements in which white space between the children means nothing. */
const frames: ReadonlySet<string> = new Set(["ul", "ol"])

/** Mail programs read only styles that stand at an element. */
const styles = {
  quote: "margin:0 0 0 4px;padding-left:10px;border-left:2px solid #bbb",
  cell: "border:1px solid #bbb;padding:4px 8px",
  card: "border:1px solid #bbb;border-left:4px solid",
  inside: "padding:8px 12px",
  field: "padding:4px 24px 4px 0;vertical-align:top",
}

const table = 'table cellpadding="0" cellspacing="0"'

/** Returns content as HTML. Only elements become tags; text stays text. */
export const htmlOf = (nodes: readonly Node[], files: FilesOf): string =>
  nodes
    .map((node, n) => {
      if (isElement(node)) return htmlOfElement(node, files)
      const isBetween = node.trim() === "" && [nodes[n - 1], nodes[n + 1]].some(isBlock)
      return isBetween ? "\n" : escaped(node)
    })
    .join("")

const blocks: ReadonlySet<string> = new Set(["p", "message", "hr", "pre", "blockquote", "ul", "ol", "table", "card"])

/** HTML has its own space around these. */
const isBlock = (node: Node | undefined): boolean =>
  node !== undefined && isElement(node) && (blocks.has(node.type) || /^h[1-6]$/.test(node.type))

const htmlOfElement = (element: Element, files: FilesOf): string => {
  const {type, attrs, children} = element
  const shown = files.get(element)
  if (shown !== undefined)
    return shown.cid === undefined ? "" : `<img src="cid:${shown.cid}" alt="${escaped(lineOf(shown.file.name))}">`
  if (type === "quote" || type === subjectType) return ""
  if (type === "br") return "<br>\n"
  if (type === "card") return htmlOfCard(element, files)
  const inner = htmlOf(frames.has(type) ? children.filter(isVisible) : children, files)
  const tag = tags[type]
  if (tag !== undefined) return `<${tag}>${inner}</${tag}>`
  switch (type) {
    case "message":
      return `<div>${inner}</div>`
    case "blockquote":
      return `<blockquote style="${styles.quote}">${inner}</blockquote>`
    case "pre":
      return `<pre>${htmlOf(children, files).replaceAll("<br>\n", "\n")}</pre>`
    case "hr":
      return "<hr>\n"
    case "ol":
      return `<ol start="${Math.trunc(Number(attrs.start ?? 1)) || 1}">${inner}</ol>`
    case "table":
      return htmlOfTable(element, files)
  }
  if ((type === "a" || type === "button") && isLink(String(attrs.href ?? "")))
    return `<a href="${escaped(String(attrs.href))}">${inner === "" ? escaped(String(attrs.href)) : inner}</a>`
  return inner === "" ? escaped(textOf(element)) : inner
}

const isVisible = (node: Node): boolean => isElement(node) || node.trim() !== ""

const inside = ({children}: Element): readonly Element[] => children.filter(isElement)

/** The first row decides where the text of a column stands. */
const htmlOfTable = (element: Element, files: FilesOf): string => {
  const rows = inside(element).map(inside)
  const aligns = (rows[0] ?? []).map(({attrs: {align}}) => (align === "center" || align === "right" ? align : "left"))
  const cell = ({type, children}: Element, column: number) => {
    const name = type === "th" ? "th" : "td"
    return `<${name} style="${styles.cell};text-align:${aligns[column] ?? "left"}">${htmlOf(children, files)}</${name}>`
  }
  const lines = rows.map(row => `<tr>${row.map(cell).join("")}</tr>`)
  return `<${table} style="border-collapse:collapse">${lines.join("\n")}</table>`
}

/** How many inline fields stand side by side. */
const columns = 3

const beside: ReadonlySet<string> = new Set(["img", "audio", "video", "file", "button"])

/** Returns a card as a table, because mail programs show nothing else as a box. */
const htmlOfCard = ({attrs: {title, href, colour}, children}: Element, files: FilesOf): string => {
  const border = /^#[0-9a-f]{6}$/i.test(String(colour)) ? colour : "#bbb"
  const name = href === undefined ? String(title) : h("a", {href: String(href)}, String(title))
  const head = title === undefined ? "" : htmlOf([h("p", h("b", name))], files)
  const parts: string[] = []
  let row: string[] = []
  const end = () => {
    if (row.length > 0) parts.push(`<${table}><tr>${row.join("")}</tr></table>`)
    row = []
  }
  for (const child of children) {
    const isInline = isElement(child) && child.type === "card-field" && child.attrs.inline === true
    if (!isInline || row.length === columns) end()
    if (isInline) row.push(`<td style="${styles.field}">${htmlOfField(child, files)}</td>`)
    else if (!isElement(child)) parts.push(escaped(child))
    else if (child.type === "card-field") parts.push(`<div>${htmlOfField(child, files)}</div>`)
    else parts.push(beside.has(child.type) ? `<p>${htmlOf([child], files)}</p>` : htmlOf([child], files))
  }
  end()
  const inside = `<tr><td style="${styles.inside}">${head}${parts.join("")}</td></tr>`
  return `<${table} style="${styles.card} ${border}">${inside}</table>`
}

const htmlOfField = ({attrs: {title}, children}: Element, files: FilesOf): string =>
  `<b>${escaped(String(title ?? ""))}</b><br>\n${htmlOf(children, files)}`
