import {expect, test} from "vitest"
import {hideInJson} from "../../../server/agents/providers/hiding.ts"
import {Mask} from "../../../server/runtime/logs/mask.ts"

const mask = new Mask()
mask.hide(['sec"ret\\value'])
const hide = (text: string) => mask.text(text)

test("arguments stay JSON after hiding secrets in them", () => {
  const args = {header: 'authorization:"x"', value: 'the sec"ret\\value, twice: sec"ret\\value', deep: [{value: 1}]}
  expect(JSON.parse(hideInJson(JSON.stringify(args), hide))).toEqual({
    header: 'authorization:"[secret]"',
    value: "the [secret], twice: [secret]",
    deep: [{value: 1}],
  })
})

test("text without a secret stays unchanged, and text that is not JSON is hidden as text", () => {
  expect(hideInJson('{ "b": 1,  "a": 2 }', hide)).toBe('{ "b": 1,  "a": 2 }')
  expect(hideInJson('{"broken": "sec\\"ret\\\\value', hide)).toBe('{"broken": "[secret]')
})
