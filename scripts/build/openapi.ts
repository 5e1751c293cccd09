import {writeFileSync} from "node:fs"
import {askRunningHost} from "../reference/running-host.ts"
import {root} from "../root.ts"

/** Writes the API of a Host with every built-in plugin to `dist/openapi.json`, as the Host itself serves it. */
const {openApi} = await askRunningHost()
writeFileSync(`${root}dist/openapi.json`, `${JSON.stringify(openApi)}\n`)
// The modules of a Host keep a process alive.
process.exit(0)
