import {type Element, isElement, type Node, textOf} from "../../shared/sdk/elements.ts"
import {isActionButton, platformIdOf} from "../database/buttons/button-id.ts"
import type {Policy} from "../endpoints/policy.ts"

/** What a platform shows. */
type Shows = Pick<Policy, "buttons" | "selects">

/** Is it a menu of buttons, as `action.select` makes one? */
const isSelect = ({type, children}: Element): boolean =>
  type === "select" && children.some(child => isElement(child) && isActionButton(child))

/**
 * Replaces the buttons of actions in a tree, in their order; those that become nothing leave no empty element behind. `become` gets
 * the menu that a button is an option of, too; `isKept`: do menus stay around what their buttons become?
 */
const replace = (
  nodes: readonly Node[],
  become: (button: Element, select?: Element) => Node | undefined,
  isKept: boolean,
  select?: Element,
): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node)) return [node]
    if (isActionButton(node)) {
      const made = become(node, select)
      return made === undefined ? [] : [made]
    }
    const isMenu = isSelect(node)
    const children = replace(node.children, become, isKept, isMenu ? node : select)
    if (isMenu && !isKept) return children
    return children.length === 0 && node.children.length > 0 ? [] : [{...node, children}]
  })

/** What a platform with buttons is sent: each under the id by which its press is known, without what it keeps. */
const withShortIds = (content: readonly Node[], message: string, hasSelects: boolean): readonly Node[] => {
  let n = 0
  const become = (button: Element, select?: Element) => ({
    ...button,
    type: hasSelects && select !== undefined ? "option" : button.type,
    attrs: {...button.attrs, id: platformIdOf(message, ++n)},
  })
  return replace(content, become, hasSelects)
}

const labelOf = (button: Element, n: number): string => textOf(button.children).trim() || String(button.attrs.text ?? n)

/** What a platform without buttons is sent: they are a numbered list below the text. */
const withList = (content: readonly Node[]): readonly Node[] => {
  const lines: string[] = []
  const become = (button: Element) => {
    lines.push(`${lines.length + 1}. ${labelOf(button, lines.length + 1)}`)
    return undefined
  }
  const text = replace(content, become, false)
  if (lines.length === 0) return text
  const before = textOf([...text, "."]).slice(0, -1)
  return [...text, `${before === "" || before.endsWith("\n") ? "" : "\n"}${lines.join("\n")}`]
}

/** The content of a message as its platform shows it; `message` is the outbox id of the row that it is from. */
export const presentButtons = (
  content: readonly Node[],
  message: string,
  {buttons = false, selects = false}: Shows,
): readonly Node[] => (buttons ? withShortIds(content, message, selects) : withList(content))
