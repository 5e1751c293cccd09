import {expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import {Type} from "../../../shared/type.ts"

const parameters = Type.Object({city: Type.String()})
const sound = {description: "The weather of a city", parameters, effect: "none"} as const
const run = () => "sunny"

/** Returns the error that `setup` gets for a wrong tool declaration, in JavaScript. */
const declare = (name: unknown, definition: unknown, handle: unknown = run, owner: `root/${string}` = "root/weather") =>
  collectRegistrations(owner).declaring.tool(name as string, definition as typeof sound, handle as typeof run)

test("a tool is kept with its definition under its name", () => {
  const {declaring, close} = collectRegistrations("root/weather")
  declaring.tool("now", sound, run)
  const whole = {...sound, effect: "external", permission: "admin", approval: true, timeout: 3600} as const
  declaring.tool("later-on", whole, run)
  expect([...close().tools]).toEqual([
    ["now", {id: "root/weather/tool/now", definition: sound, handle: run}],
    ["later-on", {id: "root/weather/tool/later-on", definition: whole, handle: run}],
  ])
})

test("a tool is declared once, and in setup", () => {
  const {declaring, close} = collectRegistrations("root/weather")
  declaring.tool("now", sound, run)
  expect(() => declaring.tool("now", sound, run)).toThrow('tool("now") is declared twice')
  close()
  expect(() => declaring.tool("later", sound, run)).toThrow(/^tool\(\) .*\bsetup\b/)
})

test.each([
  ["Now", "a to z"],
  ["", "a to z"],
  ["a.b", "a to z"],
  ["a__b", "no two _ in a row"],
  ["_a", "no _ or - first"],
  [7, "a to z"],
  ["a".repeat(56), 'the name of a tool of the plugin "weather" may have at most 55 characters'],
])("a tool cannot be called %s", (name, why) => expect(() => declare(name, sound)).toThrow(why))

test("a name is as long as providers allow", () => expect(() => declare("a".repeat(55), sound)).not.toThrow())

test.each([
  ["without a function", sound, "sunny", 'tool("now") needs a function'],
  ["without a definition", undefined, run, "needs its options as an object"],
  ["without a description", {...sound, description: " "}, run, "description must be text"],
  ["without parameters", {...sound, parameters: undefined}, run, "parameters must be the schema of an object"],
  ["with parameters of text", {...sound, parameters: Type.String()}, run, "parameters must be the schema of an object"],
  [
    "with a default that is not JSON",
    {...sound, parameters: Type.Object({big: Type.Optional(Type.Unknown({default: 1n}))})},
    run,
    "cannot be kept as JSON",
  ],
  [
    "without an effect",
    {...sound, effect: undefined},
    run,
    "effect must be one of none, transaction, idempotent, external",
  ],
  ["with an unknown effect", {...sound, effect: "read"}, run, "effect must be one of"],
  ["with an unknown permission", {...sound, permission: "none"}, run, "permission must be one of user, trusted, admin"],
  ["with an approval that is text", {...sound, approval: "yes"}, run, "approval must be true or false"],
  ["with a time limit of zero", {...sound, timeout: 0}, run, "timeout must be seconds, at most 3600"],
  ["with too high a time limit", {...sound, timeout: 3601}, run, "timeout must be seconds, at most 3600"],
  ["with a mistyped key", {...sound, aproval: true}, run, ': unknown key aproval (did you mean "approval"?)'],
])("a tool %s is refused", (_, definition, handle, why) => {
  expect(() => declare("now", definition, handle)).toThrow(why)
})
