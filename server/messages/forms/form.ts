import {fromJson} from "../../../shared/json.ts"
import {type Content, type Node, nodesOf} from "../../../shared/sdk/elements.ts"
import type {FormDefinition, FormHandler} from "../../../shared/sdk/plugin/declare-form.ts"
import type {Reply, Session} from "../../../shared/sdk/session.ts"
import {readJson} from "../../../shared/sdk/values.ts"
import {type Static, type TSchema, Type} from "../../../shared/type.ts"
import {withDefaults} from "../../database/state/defaults.ts"
import type {Action} from "../action.ts"
import {type Prompt, requireFit} from "../prompt.ts"
import type {HostTexts} from "../texts/host-texts.ts"
import {fits, readAnswer, typeOf} from "./answer.ts"
import {type Field, readFields} from "./fields.ts"

/** A form as a plugin declared it. */
export interface FormDeclaration {
  readonly name: string
  /** The handler id of an answer. */
  readonly promptId: string
  /** The handler id of a press that begins it. */
  readonly actionId: string
  readonly definition: FormDefinition<TSchema, TSchema>
  readonly handle: FormHandler<never, never>
}

/** What its question keeps: what was answered so far, null for what was left out, and which field is asked. */
const Kept = Type.Object({
  asked: Type.String(),
  values: Type.Record(Type.String(), Type.Unknown()),
  data: Type.Unknown(),
})
type Kept = Static<typeof Kept>

/** A form is a prompt, asked again for each field, and an action, whose press begins it. */
export interface Form {
  readonly prompt: Prompt
  readonly action: Action
  /** Begins it behind `content`; resolves to the outbox id of the message. Throws `event_invalid`. */
  open(session: Session, content: Content, data: unknown): Promise<string>
}

/** Throws an `Error` that says what is wrong with the declaration. */
export const createForm = (declared: FormDeclaration, texts: HostTexts): Form => {
  const {name, promptId, actionId, definition, handle} = declared
  const {expires, cancel, data: dataSchema} = definition
  const fields = readFields(definition)
  const [first] = fields
  const openField = (values: Kept["values"]) =>
    fields.find(field => !Object.hasOwn(values, field.name) || !fits(field, values[field.name]))
  const ask = (session: Session, field: Field, before: Content, {values, data}: Omit<Kept, "asked">): Promise<string> =>
    session.prompt(name, [...leading(before), questionOf(field, session.language, texts)], {
      asked: field.name,
      values,
      data,
    })
  /** Asks the next field; where none is left, the form has its values. */
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
    if (dataSchema !== undefined) requireFit(promptId, {data: dataSchema}, data)
    const given = fields.flatMap(field => (values[field.name] === null ? [] : [[field.name, values[field.name]]]))
    const whole = withDefaults(definition.fields, Object.fromEntries(given))
    requireFit(promptId, {data: definition.fields}, whole)
    return handle({values: whole as never, data: data as never, session})
  }
  const answer = (session: Session, text: string, {asked, values, data}: Kept): Promise<Awaited<Reply>> => {
    const field = openField(values)
    // The plugin has changed since: what was asked is no field any more, or has its value.
    if (field === undefined || field.name !== asked) return goOn(session, "", {values, data})
    const say = texts.in(session.language)
    const read = readAnswer(field, text, texts, say)
    if ("wrong" in read) return goOn(session, read.wrong, {values, data})
    return goOn(session, "", {values: {...values, [field.name]: read.value}, data})
  }
  const open = async (session: Session, content: Content, given: unknown) => {
    const data: unknown = fromJson(readJson(`the data of the form ${name}`, given ?? null, "event_invalid"))
    if (dataSchema !== undefined) requireFit(promptId, {data: dataSchema}, data)
    return ask(session, first, content, {values: {}, data})
  }
  return {
    prompt: {
      id: promptId,
      definition: {data: Kept, ...(expires === undefined ? {} : {expires}), ...(cancel === undefined ? {} : {cancel})},
      // Its schema has checked what was kept.
      handle: call => answer(call.session, call.answer, call.data as Kept),
    },
    action: {
      id: actionId,
      definition,
      handle: ({data, session}) => goOn(session, "", {values: {}, data}),
    },
    open,
  }
}

/** What stands before a question, on lines of its own. */
const leading = (content: Content): readonly Node[] => (content === "" ? [] : [...nodesOf(content), "\n"])

const questionOf = (field: Field, language: string, texts: HostTexts): string => {
  const say = texts.in(language)
  const label = field.labelIn(language)
  const isChosen = field.choices !== undefined || field.type === "boolean"
  return [
    isChosen ? say("form.choices", {label, choices: typeOf(field, say)}) : label,
    ...(field.description === undefined ? [] : [field.description]),
    ...(field.isRequired ? [] : [say("form.optional", {word: say("form.skip")})]),
  ].join("\n")
}
