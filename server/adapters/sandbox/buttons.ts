import {type Content, isElement, type Node, textOf} from "../../../shared/sdk/sdk.ts"

/** A button under a message, as it is pressed. */
export interface RoomButton {
  readonly id: string
  readonly label: string
}

const nodesOf = (content: Content): readonly Node[] =>
  typeof content === "string" || isElement(content) ? [content] : content

/** The buttons of a message, in their order. */
export const buttonsOf = (content: Content): readonly RoomButton[] =>
  nodesOf(content).flatMap((node): readonly RoomButton[] => {
    if (!isElement(node)) return []
    if (node.type !== "button" || node.attrs.id === undefined) return buttonsOf(node.children)
    return [{id: String(node.attrs.id), label: textOf(node.children)}]
  })

const withoutButtons = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node)) return [node]
    if (node.type === "button" && node.attrs.id !== undefined) return []
    return [{...node, children: withoutButtons(node.children)}]
  })

/** What a message says, with its buttons as a line of their own: `[1] Yes  [2] No`. */
export const shownText = (content: Content): string => {
  const buttons = buttonsOf(content)
  if (buttons.length === 0) return textOf(content)
  const text = textOf(withoutButtons(nodesOf(content)))
  return [text, buttons.map(({label}, index) => `[${index + 1}] ${label}`).join("  ")]
    .filter(line => line !== "")
    .join("\n")
}

/** The button that somebody means: by its number in the message, its label or its id. */
export const findButton = (buttons: readonly RoomButton[], meant: string): RoomButton | undefined =>
  buttons.find(({id, label}) => id === meant || label === meant) ??
  (/^[1-9]\d*$/.test(meant) ? buttons[Number(meant) - 1] : undefined)
