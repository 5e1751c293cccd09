import {writeFileSync} from "node:fs"
import {askRunningHost} from "../reference/running-host.ts"
import {root} from "../root.ts"

/** Writes the API of a Host with every built-in plugin to `dist/openapi.json`, in the form that the Host serves. */
const {openApi} = await askRunningHost()
writeFileSync(`${root}dist/openapi.json`, `${JSON.stringify(openApi)}\n`)
// The modules of a Host would keep the process alive.
process.exit(0)
