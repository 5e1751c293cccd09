import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Content, type Element, h, type Node, nodesOf} from "../../../shared/sdk/content/elements.ts"
import type {ActionCall} from "../../../shared/sdk/plugin/action.ts"
import type {Reply, Session} from "../../../shared/sdk/session/session.ts"
import {fieldsOf, longestKept, readJson} from "../../../shared/sdk/session/values.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {makeButtonId} from "../../database/buttons/button-id.ts"
import {withDefaults} from "../../database/state/defaults.ts"
import type {HostTexts, Say} from "../texts/host-texts.ts"
import {fits, readAnswer, typeOf} from "./answer.ts"
import {type Field, type FormDeclaration, readFields} from "./fields.ts"
import {type Action, type Prompt, requireFit, requirePermission} from "./prompt.ts"

/** The data of a form's question: the answers so far, null for skipped fields, and the field that is asked. */
const Kept = Type.Object({
  asked: Type.String(),
  values: Type.Record(Type.String(), Type.Unknown()),
  data: Type.Unknown(),
})
type Kept = Static<typeof Kept>

/** A form is a prompt, which is asked again for each field, and an action, whose press starts it. */
export interface Form {
  readonly prompt: Prompt
  readonly action: Action
  /** Starts the form behind `content`. Resolves to the outbox id. `isShown`: does the platform show forms? */
  open(session: Session, content: Content, data: unknown, isShown: boolean): Promise<string>
}

/** Creates a form. Throws an `Error` that says what is wrong with the declaration. */
export const createForm = (declared: FormDeclaration, texts: HostTexts): Form => {
  const {name, promptId, actionId, definition, handle} = declared
  const {cancel, data: dataSchema} = definition
  const fields = readFields(definition)
  const [first] = fields
  const openField = (values: Kept["values"]) =>
    fields.find(field => !Object.hasOwn(values, field.name) || !fits(field, values[field.name]))
  const ask = (
    session: Session,
    field: Field,
    before: Content,
    {values, data}: Omit<Kept, "asked">,
  ): Promise<string> => {
    const say = texts.in(session.language)
    const word = cancel ?? say("prompt.cancel")
    const isFirst = Object.keys(values).length === 0 && word !== ""
    const question = `${questionOf(field, session.language, texts)}${isFirst ? `\n${say("form.cancel", {word})}` : ""}`
    return session.prompt({kind: "prompt", name}, [...leading(before), question], {asked: field.name, values, data})
  }
  /** Asks for the next field. If none is left, the form is complete. */
  const goOn = async (
    session: Session,
    before: string,
    {values, data}: Omit<Kept, "asked">,
  ): Promise<Awaited<Reply>> => {
    const field = openField(values)
    if (field === undefined) return finish(session, values, data)
    await ask(session, field, before, {values, data})
    return undefined
  }
  const finish = (session: Session, values: Kept["values"], data: unknown): Reply => {
    requirePermission(definition, session, texts)
    if (dataSchema !== undefined) requireFit(promptId, {data: dataSchema}, data)
    const given = fields.flatMap(field => (values[field.name] === null ? [] : [[field.name, values[field.name]]]))
    const whole = withDefaults(definition.fields, Object.fromEntries(given))
    requireFit(promptId, {data: definition.fields}, whole)
    return handle({values: whole as never, data: data as never, session})
  }
  const answer = (session: Session, text: string, {asked, values, data}: Kept): Promise<Awaited<Reply>> => {
    const field = openField(values)
    // The plugin has changed: the asked field no longer exists, or already has a value.
    if (field === undefined || field.name !== asked) return goOn(session, "", {values, data})
    const read = readAnswer(field, text, texts, session.language)
    if ("wrong" in read) return goOn(session, read.wrong, {values, data})
    return goOn(session, "", {values: {...values, [field.name]: read.value}, data})
  }
  const show = (session: Session, content: Content, data: unknown, given: Filled = {}): Promise<string> => {
    if (session.user === undefined) throw new Problem("event_invalid", "there is no user to ask")
    const element = formElement(declared, fields, {data, given, language: session.language, texts})
    return session.send(content === "" ? element : [...nodesOf(content), element])
  }
  const open: Form["open"] = async (session, content, given, isShown) => {
    requirePermission(definition, session, texts)
    const data: unknown = fromJson(readJson(`the data of the form ${name}`, given ?? null, "event_invalid"))
    if (dataSchema !== undefined) requireFit(promptId, {data: dataSchema}, data)
    return isShown ? show(session, content, data) : ask(session, first, content, {values: {}, data})
  }
  /** Handles all answers at once. If one is wrong, shows the form again with the values filled in. */
  const submit = async (session: Session, given: Filled, data: unknown): Promise<Awaited<Reply>> => {
    const {language} = session
    const answers = fields.map(field => ({field, ...readAnswer(field, textIn(given, field), texts, language)}))
    const wrong = answers.flatMap(answer =>
      "wrong" in answer ? [`${introOf(answer.field.labelIn(language))} ${answer.wrong}`] : [],
    )
    if (wrong.length === 0) {
      const values = answers.map(answer => [answer.field.name, "value" in answer ? answer.value : null] as const)
      return finish(session, Object.fromEntries(values), data)
    }
    await show(session, wrong.join("\n"), data, given)
    return undefined
  }
  return {
    prompt: {
      id: promptId,
      definition: {data: Kept, expires: waitOf(definition), ...(cancel === undefined ? {} : {cancel})},
      // The schema `Kept` has already checked the data.
      handle: call => answer(call.session, call.answer, call.data as Kept),
    },
    action: {
      id: actionId,
      definition,
      handle: ({data, session}: ActionCall<unknown>) => {
        const filled = session.event.form?.values
        return filled === undefined
          ? session.form({kind: "form", name}, "", data).then(() => {})
          : submit(session, filled, data)
      },
    },
    open,
  }
}

/** Returns a label as an introduction. One that ends with punctuation stays unchanged. */
const introOf = (label: string): string => (/[\p{Po}]$/u.test(label) ? label : `${label}:`)

/** Returns the content before a question, on separate lines. */
const leading = (content: Content): readonly Node[] => (content === "" ? [] : [...nodesOf(content), "\n"])

const questionOf = (field: Field, language: string, texts: HostTexts): string => {
  const say = texts.in(language)
  const label = field.labelIn(language)
  const isChosen = field.choices !== undefined || field.type === "boolean"
  return [
    isChosen ? say("form.choices", {label, choices: typeOf(field, say, language)}) : label,
    ...(field.description === undefined ? [] : [field.description]),
    ...(field.isRequired ? [] : [say("form.optional", {word: say("form.skip")})]),
  ].join("\n")
}

/** The values that a user filled in, by field. */
type Filled = Readonly<Record<string, string>>

const textIn = (given: Filled, {name}: Field): string => (Object.hasOwn(given, name) ? (given[name] ?? "") : "")

/** Returns for how many seconds a form may be filled in. */
const waitOf = ({expires = 3600}: FormDeclaration["definition"]): number => (expires === "never" ? 3600 : expires)

interface Shown {
  readonly data: unknown
  /** The values filled in earlier. */
  readonly given: Filled
  readonly language: string
  readonly texts: HostTexts
}

/** Returns a form as platforms show it: for the addressed user, once. Throws `event_invalid` if its data is long. */
const formElement = (
  {name, actionId, definition}: FormDeclaration,
  fields: readonly Field[],
  {data, given, language, texts}: Shown,
): Element => {
  const kept = toJson(data)
  if (kept.length > longestKept)
    throw new Problem(
      "event_invalid",
      `the data of the form ${name} has ${kept.length} characters as JSON; at most ${longestKept} are allowed`,
    )
  const expires = Math.round(waitOf(definition) * 1000)
  const id = makeButtonId({handler: actionId, data: kept, expires, once: 1, asked: 1})
  const {title} = fieldsOf(definition.fields)
  const say = texts.in(language)
  return h(
    "form",
    {title: typeof title === "string" ? title : undefined},
    ...fields.map(field => fieldElement(field, given, language, say)),
    h("button", {id}, say("form.open")),
  )
}

/** The limits of the schema that platforms may enforce for an input. */
const limits = ["minLength", "maxLength", "minimum", "maximum"] as const

const fieldElement = (field: Field, given: Filled, language: string, say: Say): Element => {
  const {name, type, choices, isRequired, description, schema} = field
  const said = fieldsOf(schema)
  const filled = textIn(given, field)
  const standard = typeof said.default === "boolean" ? (said.default ? "yes" : "no") : said.default
  return h(
    "field",
    {
      name,
      label: field.labelIn(language),
      description,
      type: choices === undefined ? type : "choice",
      required: isRequired,
      value: filled === "" ? (standard === undefined ? undefined : String(standard)) : filled,
      ...Object.fromEntries(limits.flatMap(key => (typeof said[key] === "number" ? [[key, said[key]]] : []))),
    },
    ...(type === "boolean"
      ? (["yes", "no"] as const).map(value => h("option", {value}, say(`form.${value}`)))
      : (choices ?? []).map(choice => h("option", {value: String(choice)}, field.choiceIn(choice, language)))),
  )
}
