import {parseArgs} from "node:util"
import {runTests} from "../tests/run-tests.ts"

/** `bun run retained-year --messages 1000`: the simulated year of `tests/contract/capacity/retained-year.test.ts`, with more a day. */
const {values} = parseArgs({options: {messages: {type: "string", default: "1000"}}})

runTests({files: ["contract/capacity/retained-year"], env: {SVC_YEAR_MESSAGES: values.messages}})
