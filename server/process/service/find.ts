import {Problem} from "../../../shared/problems.ts"
import {launchdService} from "./launchd.ts"
import type {Service, ServiceOptions} from "./service.ts"
import {systemdSystemService} from "./systemd-system.ts"
import {systemdUserService} from "./systemd-user.ts"

interface Choice {
  readonly platform: NodeJS.Platform
  /** Whether `--user` was given. */
  readonly isUser: boolean
  /** Whether the command changes anything; reading needs no rights. */
  readonly changes: boolean
}

/**
 * Returns the service of this machine's manager: on Linux systemd (the user's with `--user`, else the system's, as root), on
 * macOS launchd (without `--user`). Throws `service_refused` with the right command.
 */
export const findService = ({platform, isUser, changes}: Choice, options: ServiceOptions): Service => {
  if (platform === "linux") {
    if (isUser) return systemdUserService(options)
    if (!changes || options.user.id === 0) return systemdSystemService(options)
    throw new Problem("service_refused", "only root can install a system service", {
      hint: "For your own user: svc service install --user. For the system: sudo, without --user.",
    })
  }
  if (platform !== "darwin") {
    throw new Problem("service_refused", `svc has no service for ${platform}, only for systemd and launchd`, {
      hint: "Configure this machine's service manager to run: svc runtime start --mode production --no-watch",
    })
  }
  if (!isUser) return launchdService(options)
  throw new Problem("service_refused", "on macOS every service is the user's", {hint: "Repeat it without --user."})
}
