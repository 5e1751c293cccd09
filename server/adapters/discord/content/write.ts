import {type Element, isElement, lower, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {isSnowflake} from "../api/payload.ts"
import {escapeCode, escapeText} from "./escape.ts"

/** The users and roles that a message may notify: only those that an `at` element names. */
export interface Mentions {
  readonly parse: readonly "everyone"[]
  readonly users: readonly string[]
  readonly roles: readonly string[]
  readonly replied_user: boolean
}

export interface Written {
  readonly text: string
  readonly mentions: Mentions
  /** The id of the message that it answers. */
  readonly reference?: string
}

/** Elements outside the text: files, quotes, and controls to press or fill in. */
const apart = new Set(["button", "select", "form", "img", "file", "audio", "video", "quote", "author"])

const around: Readonly<Record<string, string>> = {
  b: "**",
  strong: "**",
  i: "*",
  em: "*",
  u: "__",
  ins: "__",
  s: "~~",
  del: "~~",
  spl: "||",
}

/** The blocks of Discord's Markdown. */
const has = ["h1", "h2", "h3", "ul", "ol", "blockquote", "pre"] as const

/**
 * Writes content as Discord's Markdown. `isShown`: whether the message attaches this file, so that the text needs no
 * address for it.
 */
export const writeMarkdown = (content: readonly Node[], isShown: (file: Element) => boolean): Written => {
  const users = new Set<string>()
  const roles = new Set<string>()
  let everyone = false
  let reference: string | undefined

  const mention = ({attrs}: Element): string => {
    const {id, role, type} = attrs
    if (isSnowflake(id)) {
      users.add(id)
      return `<@${id}>`
    }
    if (isSnowflake(role)) {
      roles.add(role)
      return `<@&${role}>`
    }
    if (type === "all" || type === "here") {
      everyone = true
      return type === "all" ? "@everyone" : "@here"
    }
    return escapeText(`@${attrs.name ?? id ?? role ?? type ?? ""}`)
  }

  const inner = (nodes: readonly Node[]): string => nodes.map(render).join("")

  const link = ({attrs, children}: Element): string => {
    const href = String(attrs.href ?? "")
    const text = textOf(children)
    if (!/^https?:\/\/[^\s<>]+$/i.test(href)) return text === "" ? escapeText(href) : inner(children)
    const address = escapeText(href)
    if (text === "" || text === href) return address
    // Discord does not render a link whose text looks like an address.
    if (/https?:\/\/|[[\]]/i.test(text)) return `${inner(children)} (${address})`
    return `[${inner(children)}](<${address.replace(/[()]/g, each => (each === "(" ? "%28" : "%29"))}>)`
  }

  const render = (node: Node): string => {
    if (!isElement(node)) return escapeText(node)
    const {type, attrs, children} = node
    if (type === "quote") {
      if (isSnowflake(attrs.id)) reference ??= attrs.id
      return ""
    }
    if (type === "at") return mention(node)
    if (type === "sharp") return isSnowflake(attrs.id) ? `<#${attrs.id}>` : escapeText(textOf(node))
    if (type === "emoji" && isSnowflake(attrs.id))
      return `<${attrs.animated === true ? "a" : ""}:${String(attrs.name ?? "_").replace(/\W/g, "") || "_"}:${attrs.id}>`
    if (type === "a") return link(node)
    if (/^h[1-3]$/.test(type)) return `${"#".repeat(Number(type[1]))} ${inner(children).replaceAll("\n", " ")}`
    if (type === "ul" || type === "ol") return list(node)
    if (type === "blockquote") return inner(children).replace(/^/gm, "> ")
    if (type === "code" || type === "pre") return code(node)
    if (apart.has(type)) return ""
    const text = children.length === 0 ? escapeText(textOf(node)) : inner(children)
    const mark = around[type]
    return mark === undefined || text.trim() === "" ? text : marked(text, mark)
  }

  const list = ({type, attrs, children}: Element): string => {
    const start = Number(attrs.start ?? 1)
    const items = children.filter(isElement).map(({children}, n) => {
      const mark = type === "ul" ? "-" : `${(Number.isInteger(start) ? start : 1) + n}.`
      return `${mark} ${inner(children).replaceAll("\n", "\n  ")}`
    })
    return items.join("\n")
  }

  const text = inner(lower(content, {has, shows: each => each.type === "button" || isShown(each)}))
    .replace(/\s+$/, "")
    .replace(/^\n+/, "")
  return {
    text,
    mentions: {parse: everyone ? ["everyone"] : [], users: [...users], roles: [...roles], replied_user: true},
    ...(reference === undefined ? {} : {reference}),
  }
}

/** Discord reads a mark only if no space is next to it inside the marked text. */
const marked = (text: string, mark: string): string => {
  const [, before = "", middle = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? []
  return `${before}${mark}${middle}${mark}${after}`
}

const code = ({type, attrs, children}: Element): string => {
  const text = escapeCode(textOf(children))
  const lang = String(attrs.lang ?? "").replace(/[^\w+#.-]/g, "")
  if (type === "pre" || lang !== "" || text.includes("\n")) return `\`\`\`${lang}\n${text}\n\`\`\``
  return text === "" ? "" : `\`${text}\``
}
