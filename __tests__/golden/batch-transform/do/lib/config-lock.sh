# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # these functions share the locals of the caller in config-store.sh
# The lock of do/config, the same in config_lock.py and in the mlcc command:
#   config.lock        made with O_EXCL; holds the owner's line, then the new contents, and is renamed over the config
#   config.owner       holds the owner's line from before the lock is overwritten
#   config.lock.break  made with O_EXCL by the one waiter that removes a dead owner's lock
# Sourced by config-store.sh, which declares: file (the config, no symlink), lock ($file.lock), held (the owner's line
# while we hold it), mask, host, pid.
# While nobody else writes, taking the lock forks nothing.

# Seconds that a waiter sees one and the same owner before it gives up, or takes another host's owner for dead; that a
# lock may stay empty (its owner died between making and writing it); that an ended owner's lock is left alone (a mv
# that it started may be at work on it); that a break mark may stay. Whole seconds: two may be one and a bit.
_CONFIG_PATIENCE=30 _CONFIG_EMPTY_LOCK=4 _CONFIG_ENDED_OWNER=2 _CONFIG_BREAK_MARK=6

# -> pid, host, mask: who asks, and the umask to return to
_config_who() {
  local name value
  pid=${BASHPID:-} host='' mask=''
  if [[ -z $pid ]]; then # bash 3.2 knows only its main process
    pid=$$
    [[ $BASH_SUBSHELL -eq 0 ]] || pid=$(exec sh -c 'echo "$PPID"')
  fi
  { read -r host </proc/sys/kernel/hostname; } 2>/dev/null || host=${HOSTNAME:-localhost}
  while read -r name value; do
    if [[ $name == Umask: ]]; then
      mask=$value
      break
    fi
  done 2>/dev/null </proc/self/status || :
  [[ -n $mask ]] || mask=$(umask)
}

# PATH LINE: makes a file that must not be there yet, readable by its owner only; 1: it is there; 2: the disk is full
_config_create() {
  local opened='' noclobber='' written=''
  case $- in *C*) noclobber=1 ;; esac
  set -C
  umask 077
  { { opened=1 && printf '%s\n' "$2"; } >"$1"; } 2>/dev/null || :
  umask "$mask"
  [[ $noclobber ]] || set +C
  [[ $opened ]] || return 1
  { IFS= read -r written <"$1"; } 2>/dev/null || :
  [[ $written == "$2" ]] && return 0
  rm -f "$1"
  return 2
}

# Waits for the lock and takes it -> held; 1: it cannot be had, and a message says why
_config_take_lock() {
  local pause=10 seen='' owner='' last_seen='' since=0 mark_seen='' mark_since=0 idle='' refused=0 code status=''
  while [[ -z $status ]]; do
    code=0
    held="$pid $host $RANDOM$RANDOM$RANDOM mlcc-lock"
    _config_create "$lock" "$held" || code=$?
    if [[ $code -eq 1 ]]; then
      _config_wait || status=1
      continue
    fi
    [[ $code -ne 0 ]] || _config_own_lock || code=$?
    case $code in
      0) status=0 ;;
      2) status=1 && _config_cannot_write ;;
    esac
  done
  [[ -z $idle ]] || exec {idle}>&-
  return "$status"
}

# Names the owner in config.owner, which stays behind when the lock is gone and may be another user's.
# 1: the lock was taken away again, 2: it cannot be written
_config_own_lock() {
  local line=''
  if ! _config_name_owner; then
    rm -f "$file.owner"
    _config_name_owner || { rm -f "$lock"; return 2; }
  fi
  { IFS= read -r line <"$lock"; } 2>/dev/null || :
  [[ $line == "$held" ]]
}

_config_name_owner() {
  { printf '%s\n' "$held" >|"$file.owner"; } 2>/dev/null && _config_holds_lock
}

# Whether the lock is still ours: a trap's own update may have taken it over
_config_holds_lock() {
  local line=''
  { IFS= read -r line <"$file.owner"; } 2>/dev/null || :
  [[ $line == "$held" ]]
}

# Somebody holds the lock: wait a little, or remove a dead one; fails with a message when waiting makes no sense
_config_wait() {
  local kind='' age patience=$_CONFIG_PATIENCE
  _config_look
  if [[ -z $kind ]]; then # it has just gone, or it cannot be made at all
    refused=$((refused + 1))
    [[ $refused -lt 50 && -w ${file%/*} ]] || { _config_cannot_write; return 1; }
    [[ $refused -lt 5 ]] || _config_pause
    return 0
  fi
  refused=0
  [[ $seen == "$last_seen" ]] || last_seen=$seen since=$SECONDS
  age=$((SECONDS - since))
  case $kind in
    empty) patience=$_CONFIG_EMPTY_LOCK ;;
    ended) patience=$_CONFIG_ENDED_OWNER ;;
    ours) patience=0 ;;
  esac
  if [[ $age -lt $patience ]]; then
    _config_pause
  elif [[ $kind == held ]]; then
    printf '%s is locked by %s: it has held %s for %s seconds\n→ wait until it is done, or end it, and try again\n' \
      "$file" "${owner:+process }${owner%% *}" "$lock" "$patience" >&2
    return 1
  else
    _config_break
  fi
}

# -> kind: nothing without a lock; empty; ended, its owner on this host is; elsewhere, its owner is on another host;
# ours; held, its owner is at work for all we know. seen: the same text for the same owner in the same state
_config_look() {
  local line=''
  kind='' seen='' owner=''
  { IFS= read -r line <"$lock"; } 2>/dev/null || :
  if [[ -z $line ]]; then
    [[ -e $lock ]] || return 0
    [[ -r $lock ]] || line=unreadable
  fi
  case $line in
    [0-9]*' mlcc-lock') owner=$line ;;
    *) { IFS= read -r owner <"$file.owner"; } 2>/dev/null || : ;;
  esac
  # An empty lock may be a new one, and then config.owner still names the owner before.
  if [[ -z $line ]]; then kind=empty; else _config_judge; fi
  seen="$kind $owner"
}

# The owner -> kind
_config_judge() {
  local owner_pid=${owner%% *} owner_host=${owner#* }
  kind=held
  case $owner in [0-9]*' mlcc-lock') ;; *) return 0 ;; esac
  case $owner_pid in *[!0-9]*) return 0 ;; esac
  if [[ ${owner_host%% *} != "$host" ]]; then
    kind=elsewhere
  elif [[ $owner_pid == "$pid" ]]; then
    kind=ours # of an update that a trap has interrupted to update the config itself
  elif _config_has_ended "$owner_pid"; then
    kind=ended
  fi
}

# PID: whether the process has ended; one that waits to be reaped has
_config_has_ended() {
  local state=''
  if ! kill -0 "$1" 2>/dev/null; then
    # Another user's process answers "not permitted". The locale is C here.
    case $(kill -0 "$1" 2>&1) in *'No such process'*) return 0 ;; esac
  fi
  { IFS= read -r state <"/proc/$1/stat"; } 2>/dev/null || :
  case $state in *') '[ZX]' '*) return 0 ;; esac
  return 1
}

# Removes the lock of the dead owner that was seen
_config_break() {
  local judged=$seen mark="$pid $host $RANDOM$RANDOM$RANDOM mlcc-lock" line=''
  if _config_create "$lock.break" "$mark"; then
    _config_look
    { IFS= read -r line <"$lock.break"; } 2>/dev/null || :
    [[ $seen != "$judged" || $line != "$mark" ]] || rm -f "$lock"
    rm -f "$lock.break"
    return 0
  fi
  { IFS= read -r line <"$lock.break"; } 2>/dev/null || :
  [[ "mark $line" == "$mark_seen" ]] || mark_seen="mark $line" mark_since=$SECONDS
  [[ $((SECONDS - mark_since)) -lt $_CONFIG_BREAK_MARK ]] || rm -f "$lock.break"
  _config_pause
}

# Sleeps for the pause, which then doubles; before bash 4.1 a read cannot wait for a fraction of a second
_config_pause() {
  local fraction=$((1000 + pause + RANDOM % pause))
  fraction=0.${fraction#1}
  if [[ $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1])) -ge 401 && -z $idle ]]; then
    { exec {idle}<> <(:); } 2>/dev/null || idle=''
  fi
  if [[ -n $idle ]]; then
    read -r -t "$fraction" -u "$idle" _ || :
  else
    sleep "$fraction" 2>/dev/null || sleep 1
  fi
  [[ $pause -ge 320 ]] || pause=$((pause * 2))
}

# Unlocks without a change
_config_release() {
  if _config_holds_lock; then rm -f "$lock"; fi
}

# Puts contents in the config's place and unlocks, in one step; 1: it failed, 3: the lock was lost, nothing is changed
_config_publish() {
  local written=''
  cp -p "$file" "$lock" || { _config_give_up; return 1; }
  _config_holds_lock || return 3
  printf '%s' "$contents" >|"$lock" || { _config_give_up; return 1; }
  { IFS= read -r -d '' written <"$lock"; } 2>/dev/null || :
  _config_holds_lock || return 3
  [[ $written == "$contents" ]] || { _config_give_up; return 1; }
  if ! mv -f "$lock" "$file"; then
    _config_holds_lock || return 3
    _config_give_up
    return 1
  fi
}

_config_give_up() {
  _config_release
  _config_cannot_write
}

_config_cannot_write() {
  printf '%s was not changed\n→ see that its folder is writable and its disk is not full, and try again\n' "$file" >&2
}
