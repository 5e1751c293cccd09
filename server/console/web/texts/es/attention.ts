import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const attention: Part<"attention"> = {
  component: name => `${name} no está listo`,
  optionalComponent: name => `${name} no está listo (opcional)`,
  ingress: "Ingress está en pausa",
  ingressWhy: reasons => `No se admite ningún evento ni se envía nada nuevo: ${reasons}.`,
  ingressDo: "Reanudarlo cuando desaparezca el motivo.",
  generation: "La configuración más reciente no se aplicó",
  generationDo: "Corregir la configuración; la generación anterior sigue.",
  lastGood: number => `Está en marcha la última generación buena, ${number}, y el Host no está listo`,
  lastGoodWhy: "El proyecto, tal como está, no se inicia.",
  lastGoodDo: "Corregir lo que impide iniciar el proyecto y después reiniciar el Host.",
  pin: number => `La generación ${number} está fijada`,
  pinWhy:
    "Por una reversión, o desde que se desactivó un plugin. El archivo de configuración no se toma hasta que cambie o se quite la fijación.",
  pinDo: "Quitar la fijación cuando el archivo sea correcto.",
  noCheckpoint: "Aún no se verificó ningún punto de control",
  oldCheckpoint: age => `El último punto de control verificado es de hace ${age}`,
  checkpointWhy: "Lo ocurrido desde entonces no se podría restaurar.",
  checkpointDo: "Crear uno y verificarlo.",
  checkpointFailed: "El último punto de control no se creó o no se verificó",
  checkpointFailedDo: "Corregir lo que indica y crear otro.",
  endpoint: (name, state) => `${name}: ${state}`,
  notConnected: name => `${name} admite, pero no está conectado`,
  awaySince: at => `Sin conexión desde ${at}.`,
  tried: attempt => counted(attempt, {one: "Un intento.", other: "# intentos."}),
  lastError: error => `El último error: ${error}.`,
  triesAt: at => `Reintenta a las ${at}.`,
  notConnectedDo: "Este endpoint es obligatorio. La disponibilidad solo pregunta si admite eventos.",
  endpointDo: "Su página muestra el último error y los intentos.",
  plugin: (name, state) => `Plugin ${name}: ${state}`,
  pluginDo: "Su página muestra qué error lanzó y dónde; mientras tanto falta todo lo que publica.",
  failing: (name, failed, ended) =>
    `El plugin ${name} falla repetidamente: ${failed} de ${ended} intentos en la última hora`,
  failingDo: "Su página muestra el error y su lugar. Desactivarlo si causa daño.",
  inboxAside: count =>
    counted(count, {
      one: "# controlador de la entrada falló o está retenido",
      other: "# controladores de la entrada fallaron o están retenidos",
    }),
  inboxWhy: "Sus eventos no se respondieron por completo.",
  inboxDo: "Revisarlos y después reintentar, liberar o descartar.",
  outboxAside: count =>
    counted(count, {one: "# mensaje no salió, o quizá no", other: "# mensajes no salieron, o quizá no"}),
  outboxWhy: "Están fallidos, abandonados, desconocidos o retenidos, y esperan una decisión.",
  outboxDo: "Revisarlos y después reintentar, liberar o descartar.",
  overdue: count =>
    counted(count, {one: "# tarea bloqueada está vencida", other: "# tareas bloqueadas están vencidas"}),
  overdueWhy: "Pasó el plazo de lo que esperan.",
  overdueDo: "Preguntar quién ha de terminar el bloqueo.",
  disk: days => `A este ritmo, el disco se llena en ${days}`,
  diskWhy: "Antes de eso, Ingress se pausa por sí mismo.",
  diskDo: "Liberar espacio o acortar lo que se conserva (retention).",
  unclean: "La ejecución anterior fue terminada a la fuerza",
  uncleanWhy: "Lo que estaba en curso se retomó; un mensaje que se estaba enviando puede quedar desconocido.",
  uncleanDo: "Ver el registro anterior a la terminación.",
  supervisor: "Nada vuelve a iniciar este Host",
  supervisorWhy: "Está en producción sin un supervisor que svc conozca.",
  supervisorDo: "Ejecutarlo bajo uno.",
  databaseFailing: "La base de datos falla",
  databaseWhy: "Puede que no se guarde lo que ocurra ahora.",
  databaseDo: "Revisar el disco y el registro del Host.",
  jobs: "Se rechazó el archivo de trabajos",
  jobsDo: "Corregir data/schedule-jobs.json; los trabajos anteriores siguen.",
  jobsFailed: count =>
    counted(count, {
      one: "Un trabajo falló en su última ejecución",
      other: "# trabajos fallaron en su última ejecución",
    }),
  jobsFailedDo: "La ejecución indica el motivo. No se repite sola: volver a ejecutarla cuando esté corregido.",
  jobsUnreachable: count =>
    counted(count, {one: "Un trabajo no alcanza su destino", other: "# trabajos no alcanzan su destino"}),
  jobsUnreachableDo: "Corregir el trabajo o lo que nombra.",
  approvals: count =>
    counted(count, {
      one: "Un agente pregunta antes de hacer algo",
      other: "Los agentes preguntan antes de hacer # cosas",
    }),
  approvalsDo: "Aprobar o denegar. Si nadie decide a tiempo, la llamada se deniega.",
  agentsHeld: count =>
    counted(count, {
      one: "Una ejecución de un agente está retenida desde una restauración",
      other: "# ejecuciones de agentes están retenidas desde una restauración",
    }),
  agentsHeldDo: "Revisarlas y después liberar o descartar.",
  agentsWrong: count =>
    counted(count, {one: "Un agente no está configurado", other: "# agentes no están configurados"}),
  agentsWrongDo: "Corregir la vinculación en svc.config.yml y después recargar.",
  agentsFailed: count =>
    counted(count, {
      one: "Falló la última ejecución de un agente",
      other: "Fallaron las últimas ejecuciones de # agentes",
    }),
  agentsFailedDo: "La ejecución indica el motivo. No vuelve a empezar sola.",
  show: "Mostrar",
}
