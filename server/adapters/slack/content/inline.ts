import {type Element, isElement, type Node} from "../../../../shared/sdk/sdk.ts"

export interface Style {
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
}

export const styles: Readonly<Record<string, Style>> = {
  b: {bold: true},
  strong: {bold: true},
  i: {italic: true},
  em: {italic: true},
  s: {strike: true},
  del: {strike: true},
  code: {code: true},
}

export const isText = (nodes: readonly Node[]): boolean =>
  nodes.every(node => !isElement(node) || (Object.hasOwn(styles, node.type) && isText(node.children)))

/**
 * An element of a `rich_text` block (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). Slack shows
 * its text unchanged: no part becomes formatting, an emoji or a mention.
 */
export type Inline =
  | {readonly type: "text"; readonly text: string; readonly style?: Style}
  | {readonly type: "link"; readonly url: string; readonly text?: string; readonly style?: Style}
  | {readonly type: "user"; readonly user_id: string}
  | {readonly type: "channel"; readonly channel_id: string}
  | {readonly type: "usergroup"; readonly usergroup_id: string}
  | {readonly type: "broadcast"; readonly range: "channel" | "here" | "everyone"}

export const mentionOf = ({type, attrs}: Element): Inline | undefined => {
  const id = String(attrs.id ?? "")
  if (type === "sharp") return /^[CG][A-Z0-9]+$/.test(id) ? {type: "channel", channel_id: id} : undefined
  if (/^[UW][A-Z0-9]+$/.test(id)) return {type: "user", user_id: id}
  const role = String(attrs.role ?? "")
  if (/^S[A-Z0-9]+$/.test(role)) return {type: "usergroup", usergroup_id: role}
  if (attrs.type === "here") return {type: "broadcast", range: "here"}
  if (attrs.type === "all") return {type: "broadcast", range: attrs.name === "everyone" ? "everyone" : "channel"}
  return undefined
}

/**
 * Escapes the three characters that Slack interprets in a text
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping).
 */
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Returns an element for the notification text. */
export const shownOf = (inline: Inline): string => {
  switch (inline.type) {
    case "user":
      return `<@${inline.user_id}>`
    case "channel":
      return `<#${inline.channel_id}>`
    case "usergroup":
      return `<!subteam^${inline.usergroup_id}>`
    case "broadcast":
      return `<!${inline.range}>`
    case "link":
      return escapeText(inline.text ?? inline.url)
    default:
      return escapeText(inline.text)
  }
}
