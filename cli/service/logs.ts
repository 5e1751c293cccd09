import {spawn} from "node:child_process"
import {Command, Option} from "clipanion"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {Problem} from "../../shared/problems.ts"
import {ServiceCommand} from "../kit/service-command.ts"

export class ServiceLogs extends ServiceCommand {
  static override usage = Command.Usage({
    description: "print the log of the project's service",
    details: "Reads the journal on Linux and .svc/runtime.log on macOS. svc logs asks the running Host instead.",
    examples: [
      ["The newest 100 lines", "svc service logs --user"],
      ["Also new lines, as they are written", "svc service logs --user --follow"],
    ],
  })

  follow = Option.Boolean("--follow,-f", false, {description: "Also print new lines, until Ctrl-C"})
  lines = Option.String("--lines", "100", {description: "How many existing lines to print"})

  async run(): Promise<ExitCode> {
    if (!/^\d+$/.test(this.lines)) throw new Problem("request_invalid", `--lines must be a number, not "${this.lines}"`)
    const service = await this.service(false)
    const [program = "", ...args] = service.logs({follow: this.follow, lines: Number(this.lines)})
    const child = spawn(program, args, {stdio: ["ignore", "inherit", "inherit"]})
    const code = await new Promise<number>((resolve, reject) => {
      child.on("error", cause =>
        reject(new Problem("service_failed", `cannot run ${program}: ${cause.message}`, {cause})),
      )
      child.on("close", ended => resolve(ended ?? 0))
    })
    return code === 0 ? exit.ok : exit.failed
  }
}
