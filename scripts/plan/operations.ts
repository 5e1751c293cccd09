import {readFileSync} from "node:fs"
import {join} from "node:path"
import * as agents from "../../shared/api/operations/agents.ts"
import * as host from "../../shared/api/operations/host.ts"
import * as messages from "../../shared/api/operations/messages.ts"
import type {Operation} from "../../shared/api/operations/operation.ts"
import * as outside from "../../shared/api/operations/public.ts"
import * as recovery from "../../shared/api/operations/recovery.ts"
import * as satori from "../../shared/api/operations/satori.ts"
import * as system from "../../shared/api/operations/system.ts"
import * as work from "../../shared/api/operations/work.ts"
import {root} from "../root.ts"
import {sourceFiles} from "./graph.ts"

const isOperation = (value: unknown): value is Operation =>
  typeof value === "object" && value !== null && "permission" in value && "about" in value

/** Returns whether the schema or the description of a JSON answer is missing. A content type is that of other answers. */
const isUntyped = ({about: {answer, answers}}: Operation): boolean =>
  Object.values(answers ?? {answer}).some(each => typeof each !== "string" && Object.keys(each ?? {}).length === 0)

/** Returns the operations without a schema of their JSON, and the files that declare routes outside of the tables. */
export const untypedOperations = (): readonly string[] => {
  const files: readonly object[] = [agents, host, messages, outside, recovery, satori, system, work]
  const declared = files.flatMap(file => Object.values(file)).flatMap(table => Object.values<unknown>(Object(table)))
  const untyped = declared.filter(isOperation).filter(isUntyped)
  const strays = sourceFiles(["server"]).filter(file =>
    /\bpermission: "(?:none|signature|demo|viewer|operator|owner)"/.test(readFileSync(join(root, file), "utf8")),
  )
  return [...untyped.map(({method, path}) => `${method} ${path}`), ...strays]
}
