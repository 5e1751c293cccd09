import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

export const attention: Part<"attention"> = {
  component: name => `${name} no está listo`,
  ingress: "Ingress está en pausa",
  ingressWhy: reasons => `El Host no admite eventos ni envía nada nuevo: ${reasons}.`,
  ingressDo: "Reanudarlo cuando la causa esté resuelta.",
  generation: "La configuración más reciente no se aplicó",
  generationDo: "Corregir la configuración. La generación anterior sigue en marcha.",
  lastGood: number => `Está en marcha la última generación válida, ${number}, y el Host no está listo`,
  lastGoodWhy: "El proyecto no se inicia en su estado actual.",
  lastGoodDo: "Corregir lo que impide iniciar el proyecto y después reiniciar el Host.",
  pin: number => `La generación ${number} está fijada`,
  pinWhy:
    "La fijó una reversión o un plugin desactivado. El Host ignora el archivo de configuración hasta que cambie o se quite la fijación.",
  pinDo: "Quitar la fijación cuando el archivo sea correcto.",
  noCheckpoint: "Aún no hay ningún punto de control verificado",
  oldCheckpoint: age => `El último punto de control verificado es de hace ${age}`,
  checkpointWhy: "Lo ocurrido desde entonces no se podría restaurar.",
  checkpointDo: "Crear un punto de control y verificarlo.",
  checkpointFailed: "El último punto de control no se pudo crear o verificar",
  checkpointFailedDo: "Corregir la causa indicada y crear otro punto de control.",
  endpoint: (name, state) => `${name}: ${state}`,
  deaf: (name, place) => `${name} no puede leer ${place}`,
  notConnected: name => `${name} admite, pero no está conectado`,
  awaySince: at => `Sin conexión desde ${at}.`,
  tried: attempt => counted(attempt, {one: "Un intento.", other: "# intentos."}),
  lastError: error => `El último error: ${error}.`,
  triesAt: at => `Próximo intento a las ${at}.`,
  notConnectedDo: "Este endpoint es obligatorio. La disponibilidad solo comprueba que admita eventos.",
  endpointDo: "Abrir el endpoint para ver su último error y sus intentos.",
  plugin: (name, state) => `Plugin ${name}: ${state}`,
  pluginDo: "Abrir el plugin para ver qué error lanzó y dónde. Mientras tanto no funciona nada de lo que publica.",
  failing: (name, failed, ended) =>
    `El plugin ${name} falla repetidamente: ${failed} de ${ended} intentos en la última hora`,
  failingDo: "Abrir el plugin para ver el error y dónde se lanzó. Desactivarlo si causa daño.",
  inboxAside: count =>
    counted(count, {one: "# controlador falló o está retenido", other: "# controladores fallaron o están retenidos"}),
  inboxWhy: "Algunos controladores no terminaron, y sus eventos solo se respondieron en parte.",
  inboxDo: "Revisarlos y después reintentar, liberar o descartar.",
  outboxAside: count =>
    counted(count, {
      one: "Puede que # mensaje no se haya entregado",
      other: "Puede que # mensajes no se hayan entregado",
    }),
  outboxWhy: "Los mensajes fallidos, abandonados, desconocidos y retenidos esperan una decisión.",
  outboxDo: "Revisarlos y después reintentar, liberar o descartar.",
  overdue: count =>
    counted(count, {one: "# tarea bloqueada está vencida", other: "# tareas bloqueadas están vencidas"}),
  overdueWhy: "Pasó el plazo del bloqueo.",
  overdueDo: "Preguntar a quien debe resolver el bloqueo.",
  disk: days => `A este ritmo, el disco se llena en ${days}`,
  diskWhy: "El Host pausa Ingress antes de eso.",
  diskDo: "Liberar espacio o conservar los datos menos tiempo (retention).",
  unclean: "La ejecución anterior se terminó a la fuerza",
  uncleanWhy: "El Host retomó el trabajo inacabado. Un mensaje que se estaba enviando puede quedar desconocido.",
  uncleanDo: "Revisar el registro anterior a la terminación.",
  supervisor: "Ningún supervisor reiniciará este Host",
  supervisorWhy: "Está en producción sin un supervisor que svc conozca.",
  supervisorDo: "Ejecutarlo bajo un supervisor.",
  jobs: "El Host rechazó el archivo de trabajos",
  jobsDo: "Corregir data/schedule-jobs.json. Los trabajos anteriores siguen en marcha.",
  jobsFailed: count =>
    counted(count, {
      one: "Falló la última ejecución de un trabajo",
      other: "Fallaron las últimas ejecuciones de # trabajos",
    }),
  jobsFailedDo:
    "Abrir la ejecución para ver el motivo. svc no la reintenta: volver a ejecutar el trabajo cuando la causa esté corregida.",
  jobsUnreachable: count =>
    counted(count, {one: "Un trabajo no alcanza su destino", other: "# trabajos no alcanzan su destino"}),
  jobsUnreachableDo: "Corregir el trabajo o el destino que nombra.",
  approvals: count =>
    counted(count, {one: "Un agente espera una aprobación", other: "# llamadas de agentes esperan una aprobación"}),
  approvalsDo: "Aprobar o denegar. Si nadie decide a tiempo, svc deniega la llamada.",
  agentsHeld: count =>
    counted(count, {
      one: "Una ejecución de un agente está retenida",
      other: "# ejecuciones de agentes están retenidas",
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
  agentsFailedDo: "Abrir la ejecución para ver el motivo. svc no la vuelve a iniciar.",
  show: "Mostrar",
}
