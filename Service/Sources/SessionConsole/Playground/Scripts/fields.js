// @ts-check
/**
 * Fields whose value the service has refused.
 *
 * @module
 */

/**
 * Says that the value of a field is wrong, and which element says why.
 *
 * @param {HTMLInputElement} input
 * @param {Element | null} reason
 */
export function markInvalid(input, reason) {
  input.setAttribute("aria-invalid", "true");
  if (!reason) return;
  reason.id ||= `${input.id}-error`;
  input.dataset.reason = reason.id;
  input.setAttribute("aria-describedby", `${reason.id} ${input.getAttribute("aria-describedby") ?? ""}`.trim());
}

/** @param {HTMLElement} input */
export function markValid(input) {
  input.removeAttribute("aria-invalid");
  const { reason } = input.dataset;
  if (reason === undefined) return;
  delete input.dataset.reason;
  const others = (input.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== reason);
  if (others.length > 0) input.setAttribute("aria-describedby", others.join(" "));
  else input.removeAttribute("aria-describedby");
}
