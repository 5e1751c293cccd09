import {type Element, isElement, type Node, textOf} from "../../shared/sdk/elements.ts"
import {isActionButton, platformIdOf} from "../database/buttons/button-id.ts"

/** Replaces the buttons of actions in a tree, in their order; those that become nothing leave no empty element behind. */
const replace = (nodes: readonly Node[], become: (button: Element) => Node | undefined): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node)) return [node]
    if (isActionButton(node)) {
      const made = become(node)
      return made === undefined ? [] : [made]
    }
    const children = replace(node.children, become)
    return children.length === 0 && node.children.length > 0 ? [] : [{...node, children}]
  })

/** What a platform with buttons is sent: each under the id by which its press is known, without what it keeps. */
const withShortIds = (content: readonly Node[], message: string): readonly Node[] => {
  let n = 0
  return replace(content, button => ({...button, attrs: {...button.attrs, id: platformIdOf(message, ++n)}}))
}

const labelOf = (button: Element, n: number): string => textOf(button.children).trim() || String(button.attrs.text ?? n)

/** What a platform without buttons is sent: they are a numbered list below the text. */
const withList = (content: readonly Node[]): readonly Node[] => {
  const lines: string[] = []
  const text = replace(content, button => {
    lines.push(`${lines.length + 1}. ${labelOf(button, lines.length + 1)}`)
    return undefined
  })
  if (lines.length === 0) return text
  const before = textOf([...text, "."]).slice(0, -1)
  return [...text, `${before === "" || before.endsWith("\n") ? "" : "\n"}${lines.join("\n")}`]
}

/** The content of a message as its platform shows it; `message` is the outbox id of the row that it is from. */
export const presentButtons = (content: readonly Node[], message: string, hasButtons: boolean): readonly Node[] =>
  hasButtons ? withShortIds(content, message) : withList(content)
