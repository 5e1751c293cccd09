import {type Element, isElement, type Node, textOf} from "../../../../shared/sdk/sdk.ts"

/** Kinds of components and styles of buttons (Discord: Component Reference). */
const kind = {row: 1, button: 2, select: 3, input: 4, label: 18} as const
const styles: Readonly<Record<string, number>> = {primary: 1, secondary: 2, success: 3, danger: 4}

/** Discord's limits: rows in a message, buttons in a row, characters of labels. */
const limits = {
  rows: 5,
  buttons: 5,
  options: 25,
  label: 80,
  option: 100,
  placeholder: 150,
  title: 45,
  fields: 5,
} as const

type Component = Readonly<Record<string, unknown>>

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

const labelOf = ({attrs, children}: Element): string =>
  cut(textOf(children).trim() || String(attrs.label ?? attrs.text ?? attrs.value ?? "…"), limits.label) || "…"

const button = (element: Element): Component => {
  const {href, theme, id} = element.attrs
  const opened =
    href === undefined ? {style: styles[String(theme)] ?? styles.secondary, custom_id: String(id)} : link(href)
  return {type: kind.button, label: labelOf(element), ...opened}
}

const link = (href: unknown) => ({style: 5, url: String(href)})

const select = ({attrs, children}: Element, number: number): Component => ({
  type: kind.select,
  custom_id: `svc-select-${number}`,
  ...(attrs.placeholder === undefined ? {} : {placeholder: cut(String(attrs.placeholder), limits.placeholder)}),
  options: children
    .filter(isElement)
    .slice(0, limits.options)
    .map(option => ({label: cut(labelOf(option), limits.option), value: String(option.attrs.id)})),
})

const elementsIn = (nodes: readonly Node[]): readonly Element[] =>
  nodes.filter(isElement).flatMap(node => [node, ...(controls.has(node.type) ? [] : elementsIn(node.children))])

const controls = new Set(["button", "select", "form"])

/** Discord identifies a button by an id of at most 100 characters, or by the address that it opens. */
const isPressed = ({type, attrs: {id, href}}: Element): boolean =>
  type === "select" ||
  (controls.has(type) && (/^https?:/.test(String(href)) || (typeof id === "string" && id !== "" && id.length <= 100)))

/** Returns the rows of buttons and menus of a message, and its forms. It drops anything beyond Discord's limits. */
export const componentsOf = (content: readonly Node[]) => {
  const found = elementsIn(content).filter(isPressed)
  const rows: Component[][] = []
  let row: Component[] | undefined
  for (const element of found) {
    if (element.type === "select") {
      rows.push([select(element, rows.length)])
      row = undefined
    } else if (row !== undefined && row.length < limits.buttons) row.push(button(element))
    else {
      row = [button(element)]
      rows.push(row)
    }
  }
  return {
    components: rows.slice(0, limits.rows).map(components => ({type: kind.row, components})),
    forms: found.filter(({type}) => type === "form"),
    isWhole: rows.length <= limits.rows,
  }
}

/** Fields are identified by their names. Discord accepts 100 characters for a name. */
const fieldsOf = (form: Element): readonly Element[] =>
  form.children.filter(isElement).filter(({attrs: {name}}) => String(name).length <= 100)

const isFilled = ({attrs}: Element): boolean => attrs.value !== undefined && attrs.value !== ""

/**
 * Returns the fields that a modal shows; Discord accepts five. Of a form with more, required empty fields come first.
 * Values that were already filled in are kept.
 */
export const shownFields = (form: Element): readonly Element[] => {
  const fields = fieldsOf(form)
  if (fields.length <= limits.fields) return fields
  const rank = (field: Element) => (isFilled(field) ? 2 : 0) + (field.attrs.required === true ? 0 : 1)
  const chosen = new Set([...fields].sort((a, b) => rank(a) - rank(b)).slice(0, limits.fields))
  return fields.filter(field => chosen.has(field))
}

/** The values of fields that the modal does not show. */
export const hiddenValues = (form: Element): Readonly<Record<string, string>> => {
  const shown = new Set(shownFields(form))
  const hidden = fieldsOf(form).filter(field => !shown.has(field) && isFilled(field))
  return Object.fromEntries(hidden.map(({attrs}) => [String(attrs.name), String(attrs.value)]))
}

/** Answers up to this length get one line. */
const shortAnswer = 200

const input = (field: Element): Component => {
  const {attrs, children} = field
  const required = attrs.required === true
  const choices = children
    .filter(isElement)
    .map(option => ({label: labelOf(option), value: String(option.attrs.value)}))
  const custom_id = String(attrs.name)
  const given = isFilled(field) ? String(attrs.value) : ""
  if (
    choices.length > 0 &&
    choices.length <= limits.options &&
    choices.every(({value: {length}}) => length > 0 && length <= limits.option)
  )
    return {
      type: kind.select,
      custom_id,
      required,
      options: choices.map(({label, value}) => ({label, value, default: value === given})),
    }
  const most = typeof attrs.maxLength === "number" ? Math.min(4000, Math.max(1, attrs.maxLength)) : 4000
  const isLong = attrs.type === "text" && most > shortAnswer
  return {
    type: kind.input,
    custom_id,
    style: isLong ? 2 : 1,
    required,
    max_length: most,
    ...(given === "" ? {} : {value: given.slice(0, most)}),
  }
}

/** Returns the modal of a form. */
export const modalOf = (form: Element) => ({
  custom_id: String(form.attrs.id),
  title: cut(String(form.attrs.title ?? form.attrs.label ?? "…"), limits.title),
  components: shownFields(form).map(field => ({
    type: kind.label,
    label: cut(String(field.attrs.label ?? field.attrs.name), limits.title),
    ...(field.attrs.description === undefined
      ? {}
      : {description: cut(String(field.attrs.description), limits.option)}),
    component: input(field),
  })),
})
