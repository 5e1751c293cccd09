import {type Element, isElement, type Node, textOf} from "../../../../shared/sdk/sdk.ts"

export type Block = Readonly<Record<string, unknown>>

/** The prefixes of svc's action ids. The value of a button or a menu option has its id. */
export const actionPrefix = {
  button: "svc-button-",
  select: "svc-select-",
  form: "svc-form-",
  field: "svc-field-",
} as const

/** Limits of Block Kit, in characters (https://docs.slack.dev/reference/block-kit). */
const longest = {label: 75, option: 150, heading: 2000, input: 3000, address: 3000} as const

/** The most elements in one block of actions. */
const mostActions = 25

const shortened = (text: string, most: number): string => {
  const characters = [...text]
  return text.length <= most ? text : `${characters.slice(0, Math.floor(most / 2) - 1).join("")}…`
}

export const plain = (text: string, most: number) => ({
  type: "plain_text",
  text: shortened(text.trim() || "…", most),
  emoji: false,
})

const labelOf = ({attrs, children}: Element): string =>
  textOf(children).trim() || String(attrs.text ?? attrs.label ?? attrs.value ?? attrs.id ?? "")

const optionOf = (label: string, value: string) => ({text: plain(label, longest.label), value})

const themes: readonly unknown[] = ["primary", "danger"]

const isLink = ({attrs: {id, href}}: Element): boolean =>
  id === undefined && /^https?:\/\/\S+$/i.test(String(href)) && String(href).length <= longest.address

const buttonOf = (button: Element, n: number): Block => ({
  type: "button",
  action_id: `${actionPrefix.button}${n}`,
  text: plain(labelOf(button), longest.label),
  // A press of a link is no event.
  ...(isLink(button) ? {url: String(button.attrs.href)} : {value: String(button.attrs.id ?? "")}),
  ...(themes.includes(button.attrs.theme) ? {style: button.attrs.theme} : {}),
})

const selectOf = ({attrs, children}: Element, n: number): Block => ({
  type: "static_select",
  action_id: `${actionPrefix.select}${n}`,
  ...(attrs.placeholder === undefined ? {} : {placeholder: plain(String(attrs.placeholder), longest.option)}),
  options: children
    .filter(isElement)
    .filter(({type}) => type === "option")
    .map(option => optionOf(labelOf(option), String(option.attrs.id ?? ""))),
})

/**
 * Returns the input for a field, with the number of its form. Slack enforces no limits on inputs in a message, so the
 * Host checks them.
 */
const inputOf = ({attrs, children}: Element, form: number): Block => {
  const action_id = `${actionPrefix.field}${form}-${attrs.name ?? ""}`
  const given = attrs.value === undefined ? undefined : String(attrs.value)
  const options = children
    .filter(isElement)
    .filter(({type}) => type === "option")
    .map(option => optionOf(labelOf(option), String(option.attrs.value ?? "")))
  const isMenu = options.length > 0 && options.every(({value: {length}}) => length > 0 && length <= longest.option)
  if (!isMenu)
    return {
      type: "plain_text_input",
      action_id,
      ...(given === undefined ? {} : {initial_value: given.slice(0, longest.input)}),
    }
  const initial = options.find(({value}) => value === given)
  return {type: "static_select", action_id, options, ...(initial === undefined ? {} : {initial_option: initial})}
}

/** A form is part of the message. Slack sends its values with the press of its button. */
const formOf = (form: Element, n: number): readonly Block[] => {
  const {attrs, children} = form
  const fields = children.filter(isElement).filter(({type}) => type === "field")
  return [
    ...(attrs.title === undefined ? [] : [{type: "section", text: plain(String(attrs.title), longest.heading)}]),
    ...fields.map(field => ({
      type: "input",
      label: plain(String(field.attrs.label ?? field.attrs.name ?? ""), longest.heading),
      optional: field.attrs.required !== true,
      ...(field.attrs.description === undefined ? {} : {hint: plain(String(field.attrs.description), longest.heading)}),
      element: inputOf(field, n),
    })),
    {
      type: "actions",
      elements: [
        {
          type: "button",
          action_id: `${actionPrefix.form}${n}`,
          text: plain(String(attrs.label ?? ""), longest.label),
          value: String(attrs.id ?? ""),
          style: "primary",
        },
      ],
    },
  ]
}

export const isControl = ({type}: Element): boolean => type === "button" || type === "select" || type === "form"

const controlsIn = (nodes: readonly Node[]): readonly Element[] =>
  nodes.filter(isElement).flatMap(node => (isControl(node) ? [node] : controlsIn(node.children)))

/** Returns the blocks of a message's buttons, menus and forms, in order. */
export const controlBlocks = (content: readonly Node[]): readonly Block[] => {
  const blocks: Block[] = []
  let actions: Block[] = []
  for (const [n, control] of controlsIn(content).entries()) {
    if (control.type === "form") {
      actions = []
      blocks.push(...formOf(control, n))
      continue
    }
    if (actions.length === 0 || actions.length === mostActions) {
      actions = []
      blocks.push({type: "actions", elements: actions})
    }
    actions.push(control.type === "button" ? buttonOf(control, n) : selectOf(control, n))
  }
  return blocks
}
