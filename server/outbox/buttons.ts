import {type Element, isElement, type Node} from "../../shared/sdk/content/elements.ts"
import {textOf} from "../../shared/sdk/content/text.ts"
import {isActionButton, platformIdOf} from "../database/buttons/button-id.ts"
import type {Policy} from "../endpoints/policy.ts"

/** Elements around buttons of actions: a menu from `action.select`, and a form from `session.form`. */
const around = ["select", "form"] as const
type Around = (typeof around)[number]

const aroundOf = ({type, children}: Element): Around | undefined =>
  children.some(child => isElement(child) && isActionButton(child)) ? around.find(each => each === type) : undefined

/**
 * Replaces the buttons of actions in a tree, in their order. Removes elements that become empty. `become` also receives
 * the surrounding element. Menus and forms remain around a button if `kept` lists them.
 */
const replace = (
  nodes: readonly Node[],
  become: (button: Element, inside?: Around) => Node | undefined,
  kept: readonly Around[],
  inside?: Around,
): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node)) return [node]
    if (isActionButton(node)) {
      const made = become(node, inside)
      return made === undefined ? [] : [made]
    }
    const own = aroundOf(node)
    const children = replace(node.children, become, kept, own ?? inside)
    if (own === undefined) return children.length === 0 && node.children.length > 0 ? [] : [{...node, children}]
    if (!kept.includes(own)) return children.filter(child => !isField(child))
    return [own === "form" ? asForm(node, children) : {...node, children}]
  })

const isField = (node: Node): boolean => isElement(node) && node.type === "field"

/** Gives a form the id and the label of its button, and keeps its fields. */
const asForm = (form: Element, children: readonly Node[]): Element => {
  const button = children.find((child): child is Element => isElement(child) && child.type === "button")
  const {id = "", label = ""} = button === undefined ? {} : {id: button.attrs.id, label: textOf(button.children)}
  return {...form, attrs: {...form.attrs, id, label}, children: children.filter(isField)}
}

/** Returns the content for a platform with buttons: each button has only the short id of its press. */
const withShortIds = (content: readonly Node[], message: string, kept: readonly Around[]): readonly Node[] => {
  let n = 0
  const become = (button: Element, inside?: Around) => ({
    ...button,
    type: inside === "select" && kept.includes(inside) ? "option" : button.type,
    attrs: {...button.attrs, id: platformIdOf(message, ++n)},
  })
  return replace(content, become, kept)
}

const labelOf = (button: Element, n: number): string => textOf(button.children).trim() || String(button.attrs.text ?? n)

/** Returns the content for a platform without buttons: a numbered list below the text. */
const withList = (content: readonly Node[]): readonly Node[] => {
  const lines: string[] = []
  const become = (button: Element) => {
    lines.push(`${lines.length + 1}. ${labelOf(button, lines.length + 1)}`)
    return undefined
  }
  const text = replace(content, become, [])
  if (lines.length === 0) return text
  const before = textOf([...text, "."]).slice(0, -1)
  return [...text, `${before === "" || before.endsWith("\n") ? "" : "\n"}${lines.join("\n")}`]
}

/** Returns the content of a message as its platform shows it. `message` is the outbox id of its row. */
export const presentButtons = (
  content: readonly Node[],
  message: string,
  {buttons = false, selects = false, forms = false}: Pick<Policy, "buttons" | "selects" | "forms">,
): readonly Node[] => {
  const kept = around.filter(each => (each === "select" ? selects : forms))
  return buttons ? withShortIds(content, message, kept) : withList(content)
}
