import {createInterface} from "node:readline/promises"
import {fromJson, toExactJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {Answered, Asked} from "./apart.ts"
import {withChanges} from "./edit/changes.ts"
import {readYaml} from "./text/yaml.ts"

/**
 * A separate process that reads or changes a long text, so that the Host is not blocked. It reads its request from one
 * line of standard input and prints the result, both as JSON.
 */
const input = createInterface({input: process.stdin})
const {value} = await input[Symbol.asyncIterator]().next()
input.close()

const answer = ({text, changes}: Asked): Answered => {
  try {
    return changes === undefined ? {read: readYaml(text)} : {text: withChanges(text, changes)}
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const {code, message, hint} = error
    return {problem: {code, message, hint}}
  }
}

// Its Host wrote it. If that has died meanwhile, there is nothing to do.
if (value !== undefined) process.stdout.write(toExactJson(answer(fromJson(String(value)) as Asked)))
