import {readExpectedProse} from "./expected-prose.ts"

const found = readExpectedProse(process.argv.includes("--all"))
for (const {path, line, words} of found) process.stdout.write(`${path}:${line}: ${words}\n`)
process.stdout.write(`${found.length} places\n`)
