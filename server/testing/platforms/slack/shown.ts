type Fields = Readonly<Record<string, unknown>>

const listIn = (value: Fields, key: string): readonly Fields[] => (value[key] ?? []) as readonly Fields[]

const inlineText = (inline: Fields): string => {
  switch (inline.type) {
    case "text":
      if (inline.text === "") throw new Error("invalid_blocks")
      return String(inline.text)
    case "link":
      return String(inline.text ?? inline.url)
    case "user":
      return `@${inline.user_id}`
    case "channel":
      return `#${inline.channel_id}`
    case "usergroup":
      return `@${inline.usergroup_id}`
    case "broadcast":
      return `@${inline.range}`
    default:
      throw new Error("invalid_blocks")
  }
}

const requirePlain = (text: unknown, most: number, kind = "plain_text"): void => {
  const {type, text: said} = text as Fields
  if (type !== kind || typeof said !== "string" || said === "" || said.length > most) throw new Error("invalid_blocks")
}

const requireOptions = (options: readonly Fields[]): void => {
  if (options.length === 0 || options.length > 100) throw new Error("invalid_blocks")
  for (const {text, value} of options) {
    requirePlain(text, 75)
    if (String(value).length > 150) throw new Error("invalid_blocks")
  }
}

const requireElement = (element: Fields): void => {
  if (String(element.action_id ?? "").length > 255) throw new Error("invalid_blocks")
  if (element.type === "button") {
    requirePlain(element.text, 75)
    if (String(element.value).length > 2000) throw new Error("invalid_blocks")
  } else if (element.type === "static_select") requireOptions(listIn(element, "options"))
  else if (element.type !== "plain_text_input") throw new Error("invalid_blocks")
}

/** The visible text of blocks; throws `invalid_blocks` for what docs.slack.dev/reference/block-kit rejects. */
export const shownText = (blocks: readonly Fields[]): string => {
  if (blocks.length > 50) throw new Error("invalid_blocks")
  return blocks.map(blockText).join("")
}

const richText = (part: Fields): string => {
  const elements = listIn(part, "elements")
  if (part.type !== "rich_text_list") return elements.map(inlineText).join("")
  if (elements.length === 0 || Number(part.indent) > 8) throw new Error("invalid_blocks")
  return elements.map(richText).join("\n")
}

const blockText = (block: Fields): string => {
  const elements = listIn(block, "elements")
  switch (block.type) {
    case "rich_text":
      return elements.map(richText).join("\n")
    case "header":
      requirePlain(block.text, 150)
      return `${(block.text as Fields).text}\n`
    case "divider":
      return "\n"
    case "image":
      // Slack opens the picture before it accepts the message.
      if (typeof block.alt_text !== "string" || /missing|.{3001}/.test(String(block.image_url)))
        throw new Error("invalid_blocks")
      return ""
    case "section": {
      const fields = listIn(block, "fields")
      if (fields.length === 0) requirePlain(block.text, 3000)
      if (fields.length > 10) throw new Error("invalid_blocks")
      for (const field of fields) requirePlain(field, 2000, "mrkdwn")
      return fields.map(({text}) => `\n${text}`).join("")
    }
    case "actions":
      if (elements.length === 0 || elements.length > 25) throw new Error("invalid_blocks")
      elements.map(requireElement)
      if (new Set(elements.map(({action_id}) => action_id)).size < elements.length) throw new Error("invalid_blocks")
      return ""
    case "input":
      requirePlain(block.label, 2000)
      requireElement(block.element as Fields)
      return ""
    default:
      throw new Error("invalid_blocks")
  }
}
