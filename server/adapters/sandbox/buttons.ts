import {type Content, type Element, isElement, type Node, textOf} from "../../../shared/sdk/sdk.ts"

/** A button under a message, an option of a menu, or a form. */
export interface RoomButton {
  readonly id: string
  readonly label: string
  /** The names of a form's fields, in order. */
  readonly fields?: readonly string[]
}

const nodesOf = (content: Content): readonly Node[] =>
  typeof content === "string" || isElement(content) ? [content] : content

const isButton = ({type, attrs}: Element): boolean =>
  ["button", "option", "form"].includes(type) && attrs.id !== undefined

/** Returns the buttons, menu options and forms of a message, in order. */
export const buttonsOf = (content: Content): readonly RoomButton[] =>
  nodesOf(content).flatMap((node): readonly RoomButton[] => {
    if (!isElement(node)) return []
    return isButton(node) ? [buttonOf(node)] : buttonsOf(node.children)
  })

const buttonOf = ({type, attrs, children}: Element): RoomButton => {
  const id = String(attrs.id)
  if (type !== "form") return {id, label: textOf(children)}
  const fields = children.flatMap(child =>
    isElement(child) && child.type === "field" ? [String(child.attrs.name)] : [],
  )
  return {id, label: String(attrs.label ?? ""), fields}
}

const isMenu = (node: Element): boolean => node.type === "select" && buttonsOf(node).length > 0

const menusOf = (nodes: readonly Node[]): readonly Element[] =>
  nodes.flatMap(node => {
    if (!isElement(node)) return []
    return isMenu(node) ? [node] : menusOf(node.children)
  })

const withoutButtons = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node)) return [node]
    return isButton(node) || isMenu(node) ? [] : [{...node, children: withoutButtons(node.children)}]
  })

/**
 * Returns the text of a message with its buttons on a separate line: `[1] Yes  [2] No`. A form is a button followed by
 * its fields: `[3] Fill in (name, age)`. Each menu is a line after its placeholder: `Choose: [3] Soup  [4] Salad`.
 */
export const shownText = (content: Content): string => {
  const buttons = buttonsOf(content)
  if (buttons.length === 0) return textOf(content)
  const menus = menusOf(nodesOf(content)).map(menu => ({menu, options: buttonsOf(menu).map(({id}) => id)}))
  const inMenus = new Set(menus.flatMap(({options}) => options))
  const line = (isHere: (id: string) => boolean) =>
    buttons
      .flatMap(({id, label, fields}, index) =>
        isHere(id) ? [`[${index + 1}] ${label}${fields === undefined ? "" : ` (${fields.join(", ")})`}`] : [],
      )
      .join("  ")
  return [
    textOf(withoutButtons(nodesOf(content))),
    line(id => !inMenus.has(id)),
    ...menus.map(({menu: {attrs}, options}) => {
      const before = attrs.placeholder === undefined ? "" : `${attrs.placeholder}: `
      return before + line(id => options.includes(id))
    }),
  ]
    .filter(part => part !== "")
    .join("\n")
}

/** Returns the button with this number in the message, this label or this id. */
export const findButton = (buttons: readonly RoomButton[], meant: string): RoomButton | undefined =>
  buttons.find(({id, label}) => id === meant || label === meant) ??
  (/^[1-9]\d*$/.test(meant) ? buttons[Number(meant) - 1] : undefined)
