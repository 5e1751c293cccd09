import {writeFileSync} from "node:fs"
import {configSchema} from "../../server/config/schema.ts"
import {editorSchema} from "../../server/runtime/own-files.ts"
import {askRunningHost} from "../reference/running-host.ts"
import {root} from "../root.ts"

/**
 * Writes the documents that programs read: the API of a Host with every built-in plugin, in the form that the Host serves, and
 * the JSON Schema of `svc.config.yml`. The first line of a project's file names the schema by its path in the package.
 */
const {openApi} = await askRunningHost()
writeFileSync(`${root}dist/openapi.json`, `${JSON.stringify(openApi)}\n`)
writeFileSync(root + editorSchema, `${JSON.stringify(configSchema())}\n`)
// The modules of a Host would keep the process alive.
process.exit(0)
