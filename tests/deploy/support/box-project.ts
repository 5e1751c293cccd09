import type {SystemdBox} from "./systemd-box.ts"

export const boxToken = "a-token-of-the-systemd-tests-0123456789"

/** A plugin that tries to write into each requested folder and into each mount point. It returns the writable ones. */
const writerPlugin = `
import {readFileSync, rmSync, writeFileSync} from "node:fs"
import {definePlugin} from "svc-runtime"

export default definePlugin({
  setup: plugin => {
    plugin.route({
      method: "POST", path: "/writes", scope: "full", summary: "Where the Host can write",
      handle: async request => {
        const mounts = readFileSync("/proc/self/mountinfo", "utf8").trim().split("\\n").map(line => line.split(" ")[4])
        const folders = [...new Set([...await request.json(), ...mounts])]
        const writable = folders.filter(folder => {
          try {
            writeFileSync(folder + "/svc-probe", "probe")
            rmSync(folder + "/svc-probe")
            return true
          } catch {
            return false
          }
        })
        const {TMPDIR: tmpdir, PATH: path} = process.env
        return Response.json({writable, tmpdir, path, uid: process.getuid(), bun: process.versions.bun})
      },
    })
  },
})
`

export interface BoxProject {
  readonly folder: string
  readonly port: number
  readonly user: string
  /** Posts to a plugin's route of the project's Host. */
  plugin<T>(path: string, body?: unknown): T
  isReady(): boolean
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Makes the folders and the file that a service needs: owned by the user, `.env` with mode 0600. */
export const prepareBoxProject = (box: SystemdBox, {user, folder}: BoxProject): void => {
  box.must(`cd ${folder}
    install -d -o ${user} -g ${user} -m 0700 .svc data
    install -o ${user} -g ${user} -m 0600 .env.example .env`)
}

/** Makes a project of a user in the box, with its dependencies, without the parts that `prepareBoxProject` makes. */
export const makeBoxProject = (box: SystemdBox, user: string, folder: string, port: number): BoxProject => {
  const config = `http: {port: ${port}, token: '\${HTTP_TOKEN}'}\nplugins: {sandbox: {}, writer: {}}\n`
  box.must(`id ${user} >/dev/null 2>&1 || useradd --create-home --shell /bin/bash ${user}
    install -d -o ${user} -g ${user} ${folder} ${folder}/plugins ${folder}/node_modules
    ln -s /opt/svc ${folder}/node_modules/svc-runtime
    cd ${folder}
    printf %s ${quote(JSON.stringify({name: `bot-of-${user}`, type: "module"}))} > package.json
    printf %s ${quote(config)} > svc.config.yml
    printf %s ${quote(writerPlugin)} > plugins/writer.js
    printf 'HTTP_TOKEN=%s\\n' ${boxToken} > .env.example
    chown -R ${user}: ${folder}`)
  const url = `http://127.0.0.1:${port}`
  return {
    folder,
    port,
    user,
    plugin: (path, body = {}) =>
      JSON.parse(
        box.must(
          `curl --silent --show-error --fail-with-body -X POST -H 'authorization: Bearer ${boxToken}' -H 'content-type: application/json' --data ${quote(JSON.stringify(body))} ${url}${path}`,
        ),
      ),
    isReady: () => box.sh(`curl --silent --fail ${url}/pub/ready`).code === 0,
  }
}
