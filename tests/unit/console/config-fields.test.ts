import {expect, test} from "vitest"
import {
  changesOf,
  type FormField,
  fallbackOf,
  formFields,
  isAbout,
  keyOf,
  placeOf,
  textOf,
} from "../../../server/console/web/pages/plugins/edit/fields.ts"
import {Type} from "../../../shared/type.ts"

const schema = Type.Object({
  greeting: Type.String({description: "What it says"}),
  place: Type.Optional(Type.Object({endpoint: Type.Optional(Type.Endpoint())})),
  key: Type.Secret(),
  times: Type.Optional(Type.Integer({default: 3})),
  loud: Type.Optional(Type.Boolean({default: false})),
  mode: Type.Optional(Type.Union([Type.Literal("calm"), Type.Literal(2)])),
  words: Type.Optional(Type.Array(Type.String())),
  numbers: Type.Optional(Type.Array(Type.Integer())),
  tone: Type.Optional(Type.Object({high: Type.Optional(Type.Integer())})),
  map: Type.Optional(Type.Record(Type.String(), Type.Integer())),
})

const raw = {greeting: "hello", key: "${KEY}", words: ["one", "two"], map: {a: 1}, odd: [1]}

const fields = formFields(schema, raw)
const named = (name: string): FormField => {
  const found = fields.find(({path}) => path.join(".") === name)
  if (found === undefined) throw new Error(`there is no field ${name}`)
  return found
}

const typing = (typed: Record<string, string>) =>
  changesOf(
    "greeter",
    undefined,
    fields,
    Object.fromEntries(Object.entries(typed).map(([name, text]) => [keyOf(undefined, named(name)), text])),
  ).map(change =>
    "value" in change ? [change.change, change.value] : "yaml" in change ? ["yaml", change.yaml] : [change.change],
  )

test("each setting has a field of its kind, and so does a key unknown to the schema", () => {
  expect(fields.map(({path, kind}) => `${path.join(".")} ${kind}`)).toEqual([
    "greeting text",
    "place.endpoint text",
    "key secret",
    "times number",
    "loud flag",
    "mode choice",
    "words list",
    "numbers list",
    "tone.high number",
    "map yaml",
    "odd yaml",
  ])
  expect(fields.filter(({isEndpoint}) => isEndpoint)).toEqual([named("place.endpoint")])
  expect({
    known: named("odd").isKnown,
    required: named("greeting").isRequired,
    fallback: fallbackOf(named("times")),
  }).toEqual({known: false, required: true, fallback: "3"})
  expect(["greeting", "key", "words", "map", "times"].map(name => textOf(named(name)))).toEqual([
    "hello",
    "KEY",
    "one\ntwo",
    '{\n  "a": 1\n}',
    "",
  ])
})

test.each<[string, Record<string, string>, unknown]>([
  ["an unchanged field is no change", {greeting: "hello", key: "KEY"}, []],
  ["text is text, whatever it looks like", {greeting: "12"}, [["set", "12"]]],
  ["a secret is the name of a variable", {key: "OTHER"}, [["set", "${OTHER}"]]],
  ["a literal secret is sent unchanged, for the Host to refuse", {key: "a secret"}, [["set", "a secret"]]],
  ["a number is a number", {times: "12"}, [["set", 12]]],
  ["a variable in place of a number stays a variable", {times: "${N}"}, [["set", "${N}"]]],
  ["a flag is a boolean", {loud: "true"}, [["set", true]]],
  ["a choice keeps its type", {mode: "2"}, [["set", 2]]],
  ["a list has a line for each item", {words: "one\n\n two \n"}, [["set", ["one", "two"]]]],
  ["a list of numbers has numbers", {numbers: "1\n2"}, [["set", [1, 2]]]],
  ["a value that a form cannot express is YAML", {map: "{b: 2}"}, [["yaml", "{b: 2}"]]],
  ["an emptied field takes its default again", {words: ""}, [["remove"]]],
])("%s", (_, typed, expected) => expect(typing(typed)).toEqual(expected))

test("the Host's findings belong to a field, including those of its items", () => {
  const words = placeOf("greeter", undefined, named("words"))
  expect(
    ["plugins.greeter.config.words", "plugins.greeter.config.words[1]", "plugins.greeter.config.wordsmith"].map(issue =>
      isAbout(issue, words),
    ),
  ).toEqual([true, true, false])
  expect(placeOf("irc", 2, named("tone.high"))).toBe("plugins.irc.endpoints[2].tone.high")
})
