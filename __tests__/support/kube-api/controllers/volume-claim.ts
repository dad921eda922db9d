import { valueAt } from '../json.js';
import type { Controller } from './tools.js';

const BIND_SECONDS = 1;

/** Binds each claim to a volume that is made for it. */
export const volumeClaimController: Controller = ({ object, type }, tools) => {
  if (object.kind !== 'PersistentVolumeClaim' || type !== 'ADDED') return;
  tools.updateStatus(object, (draft) => {
    draft.status = { phase: 'Pending' };
  });
  tools.clock.after(BIND_SECONDS, () =>
    tools.updateStatus(object, (draft) => {
      const capacity = valueAt(draft, 'spec', 'resources', 'requests');
      draft.status = { phase: 'Bound', accessModes: valueAt(draft, 'spec', 'accessModes'), capacity };
    }),
  );
};
