import {describe, expect, test} from "vitest"
import {readAnswer} from "../../../../server/messages/forms/answer.ts"
import {readFields} from "../../../../server/messages/forms/fields.ts"
import {createForm} from "../../../../server/messages/forms/form.ts"
import {HostTexts} from "../../../../server/messages/texts/host-texts.ts"
import {type TSchema, Type} from "../../../../shared/type.ts"

const texts = new HostTexts()

const fieldOf = (schema: TSchema) => readFields({fields: Type.Object({it: schema})})[0]

const read = (schema: TSchema, text: string, language = "en") => readAnswer(fieldOf(schema), text, texts, language)

const size = Type.Union([Type.Literal("S"), Type.Literal("M"), Type.Literal("Extra large")])

describe("an answer", () => {
  test.each<[string, TSchema, string, unknown]>([
    ["text, without the space around it", Type.String(), "\u2003Ann Lee\u0085", "Ann Lee"],
    ["text that looks like a number", Type.String(), "42", "42"],
    ["a number", Type.Number(), "−١٫٥", -1.5],
    ["a whole number", Type.Integer({minimum: 1, maximum: 9}), "9", 9],
    ["a choice in any case", size, "extra LARGE", "Extra large"],
    ["a number of a list", Type.Union([Type.Literal(1), Type.Literal(2)]), "2", 2],
    ["one literal", Type.Literal("ok"), "OK", "ok"],
    ["one of an enum", Type.Enum(["red", "green"]), "Green", "green"],
    ["yes", Type.Boolean(), "Yes", true],
    ["no in another language", Type.Boolean(), "Ｎein\u200e", false],
    ["true", Type.Boolean(), "true", true],
    ["skip if the field is optional", Type.Optional(Type.Integer()), "Skip", null],
    ["skip in another language", Type.Optional(Type.Integer()), "überspringen", null],
    ["nothing if the field is optional", Type.Optional(Type.String()), " ", null],
    ["skip if the field is required", Type.String(), "skip", "skip"],
  ])("may be %s", (_, schema, text, value) => expect(read(schema, text)).toEqual({value}))

  test.each<[string, TSchema, string, string]>([
    ["nothing", Type.String(), " ", "An answer is needed."],
    ["half a number", Type.Integer(), "1.5", 'The answer must be a whole number, not "1.5".'],
    ["not a number", Type.Number(), "many", 'The answer must be a number, not "many".'],
    ["not a choice", size, "L", 'The answer must be S, M or Extra large, not "L".'],
    ["neither yes nor no", Type.Boolean(), "perhaps", 'The answer must be yes or no, not "perhaps".'],
    ["too small", Type.Integer({minimum: 18}), "17", "The answer must be at least 18."],
    ["too large", Type.Integer({maximum: 9}), "10", "The answer must be at most 9."],
    ["not above", Type.Number({exclusiveMinimum: 0}), "0", "The answer must be more than 0."],
    ["not below", Type.Number({exclusiveMaximum: 1}), "1", "The answer must be less than 1."],
    ["too short", Type.String({minLength: 3}), "ab", "The answer must have at least 3 characters."],
    ["too long", Type.String({maxLength: 3}), "abcd", "The answer may have at most 3 characters."],
    ["longer than any", Type.String(), "x".repeat(4001), "The answer may have at most 4000 characters."],
    ["of another pattern", Type.String({pattern: "^a+$"}), "b", '"b" is not a possible answer.'],
    ["not a multiple", Type.Integer({multipleOf: 5}), "7", '"7" is not a possible answer.'],
    ["wrong at length", Type.Integer(), "y".repeat(99), `The answer must be a whole number, not "${"y".repeat(59)}…".`],
  ])("that is %s gets a sentence as reply", (_, schema, text, wrong) => expect(read(schema, text)).toEqual({wrong}))

  test("may be longer if the schema says so", () => {
    const long = "x".repeat(5000)
    expect(read(Type.String({maxLength: 6000}), long)).toEqual({value: long})
  })

  test("that is wrong is explained in the user's language", () => {
    expect(read(Type.Boolean(), "yes?", "de")).toEqual({wrong: "Die Antwort muss ja oder nein sein, nicht „yes?“."})
    expect(read(Type.Integer({minimum: 1}), "0", "zh-CN")).toEqual({wrong: "回答不能小于 1。"})
  })
})

describe("the fields of a form", () => {
  const wrong = (definition: object): string => {
    try {
      readFields(definition as never)
    } catch (error) {
      return String(error)
    }
    return "nothing"
  }

  test("are in order, with label and description", () => {
    const fields = readFields({
      fields: Type.Object({
        name: Type.String({title: "Your name?", description: "As on your card"}),
        age: Type.Integer(),
      }),
      labels: {age: {in: (language: string) => (language === "de" ? "Alter" : "Age")}},
    })
    expect(fields.map(field => [field.name, field.labelIn("en"), field.labelIn("de"), field.description])).toEqual([
      ["name", "Your name?", "Your name?", "As on your card"],
      ["age", "Age", "Alter", undefined],
    ])
  })

  test.each<[string, object, string]>([
    ["no schema", {}, "fields must be Type.Object with 1 to 25 fields"],
    ["none", {fields: Type.Object({})}, "fields must be Type.Object with 1 to 25 fields"],
    [
      "too many",
      {fields: Type.Object(Object.fromEntries(Array.from({length: 26}, (_, n) => [`f${n}`, Type.String()])))},
      "1 to 25 fields",
    ],
    ["a list", {fields: Type.Object({tags: Type.Array(Type.String())})}, "fields.tags: a field is text, a number"],
    [
      "literals of two kinds",
      {fields: Type.Object({it: Type.Union([Type.Literal(1), Type.Literal("a")])})},
      "fields.it",
    ],
    [
      "a label of no field",
      {fields: Type.Object({a: Type.String()}), labels: {b: "B"}},
      "labels.b: there is no such field",
    ],
    [
      "texts of choices of no field",
      {fields: Type.Object({a: size}), choices: {b: {S: "Small"}}},
      "choices.b: there is",
    ],
    [
      "the text of no choice",
      {fields: Type.Object({a: size}), choices: {a: {XS: "Tiny"}}},
      "choices.a.XS: there is no",
    ],
    [
      "a text of a choice of text",
      {fields: Type.Object({a: Type.String()}), choices: {a: {S: "S"}}},
      "choices.a.S: there",
    ],
    ["a choice without text", {fields: Type.Object({a: size}), choices: {a: {S: 1}}}, "choices.a.S must be text"],
    ["a label that is not text", {fields: Type.Object({a: Type.String()}), labels: {a: 1}}, "labels.a must be text"],
  ])("are refused if they are %s", (_, definition, message) => expect(wrong(definition)).toContain(message))
})

test("a form is checked when it is made", () => {
  const declared = {name: "f", promptId: "root/p/prompt/f", actionId: "root/p/action/f", handle: () => {}}
  expect(() => createForm({...declared, definition: {fields: Type.Object({})}}, texts)).toThrow(
    /fields must be Type.Object/,
  )
})
