import {Problem} from "../../../shared/problems.ts"
import {launchdService} from "./launchd.ts"
import type {Service, ServiceOptions} from "./service.ts"
import {systemdSystemService} from "./systemd-system.ts"
import {systemdUserService} from "./systemd-user.ts"

interface Choice {
  readonly platform: NodeJS.Platform
  /** `--user` was given. */
  readonly isUser: boolean
  /** Whether anything is to be changed; looking needs no rights. */
  readonly changes: boolean
}

/**
 * The service manager of this machine: on Linux systemd, the user's with `--user`, else the system's, as root; on macOS
 * launchd, without `--user`. Throws `service_refused` with what to do instead.
 */
export const findService = ({platform, isUser, changes}: Choice, options: ServiceOptions): Service => {
  if (platform === "linux") {
    if (isUser) return systemdUserService(options)
    if (!changes || options.user.id === 0) return systemdSystemService(options)
    throw new Problem("service_refused", "a service of the system is installed by root", {
      hint: "For your own user: svc service install --user. For the system: the same with sudo, without --user.",
    })
  }
  if (platform !== "darwin") {
    throw new Problem(
      "service_refused",
      `svc has no service for ${platform}: there is one for systemd, and for launchd`,
      {
        hint: "Have this machine's service manager run: svc runtime start --mode production --no-watch",
      },
    )
  }
  if (!isUser) return launchdService(options)
  throw new Problem("service_refused", "on macOS a service is always the user's own", {
    hint: "Repeat it without --user.",
  })
}
