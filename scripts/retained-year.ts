import {parseArgs} from "node:util"
import {runTests} from "./run-tests.ts"

/** `bun run retained-year --messages 1000`: the simulated year of `tests/contract/retained-year.test.ts`, with more a day. */
const {values} = parseArgs({options: {messages: {type: "string", default: "1000"}}})

runTests({files: ["contract/retained-year"], env: {SVC_YEAR_MESSAGES: values.messages}})
