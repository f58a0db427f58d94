-- Wireshark and tshark: what gradwire puts on a wire.
--   wireshark -X lua_script:gradwire.lua FILE      or copy this file into Wireshark's folder of personal Lua plugins
--
-- gradwire  frames that a NIC packed: IPv4 protocols 253 (was TCP) and 254 (was UDP). Transport header, shim, edges, tags and each
--           float as the far host will get it; ratio; checksum of the segment that will be reconstructed.
-- expether  the optimizer switch's frames: EtherType 0x88B5 after an 802.1Q tag.
--
-- Arithmetic instead of bit operators: it means the same in every Lua that Wireshark was built with.
-- SPDX-License-Identifier: Apache-2.0

local floor = math.floor
local function bits(value, low, count) return floor(value / 2 ^ low) % 2 ^ count end

-- One's complement sum of 16-bit words, folded; an odd last byte is a word's first.
local function add_words(sum, bytes, from, to)
  for i = from, to, 2 do
    sum = sum + 256 * bytes[i] + (i < to and bytes[i + 1] or 0)
  end
  return sum
end
local function folded(sum)
  while sum > 0xFFFF do sum = sum % 0x10000 + floor(sum / 0x10000) end
  return sum
end
-- The tvb's bytes from `at` on, as numbers 1..count.
local function bytes_of(tvb, at, count)
  local out, array = {}, count > 0 and tvb(at, count):bytes()
  for i = 1, count do out[i] = array:get_index(i - 1) end
  return out
end

-- CRC-4 (x^4 + x + 1, initial 0) of a number's low `count` bits, the highest first.
local function crc4(value, count)
  local crc = 0
  for i = count - 1, 0, -1 do
    local out = (bits(crc, 3, 1) + bits(value, i, 1)) % 2
    crc = 2 * crc % 16
    if out == 1 then crc = crc + 1 + (bits(crc, 1, 1) == 1 and -2 or 2) end
  end
  return crc
end

-- As Wireshark's own checksum fields.
local checksum_status = {[0] = "Bad", [1] = "Good", [2] = "Unverified", [3] = "Not present"}

------------------------------------------------------------------------------------------------------------------------------------
local packed = Proto("gradwire", "gradwire packed gradients")
local tags = {[0] = "ZERO", [1] = "BYTE", [2] = "HALF", [3] = "RAW"}
local modes = {[0] = "paper", [1] = "bounded"}
local p = {
  source = ProtoField.uint16("gradwire.srcport", "Source port"),
  destination = ProtoField.uint16("gradwire.dstport", "Destination port"),
  sequence = ProtoField.uint32("gradwire.seq", "Sequence number"),
  ack = ProtoField.uint32("gradwire.ack", "Acknowledgement number"),
  flags = ProtoField.uint8("gradwire.flags", "TCP flags", base.HEX),
  window = ProtoField.uint16("gradwire.window", "Window"),
  options = ProtoField.bytes("gradwire.options", "TCP options"),
  length = ProtoField.uint16("gradwire.length", "UDP length"),
  checksum = ProtoField.uint16("gradwire.checksum", "Checksum of the reconstructed segment", base.HEX),
  status = ProtoField.uint8("gradwire.checksum.status", "Checksum status", base.DEC, checksum_status),
  shim = ProtoField.bytes("gradwire.shim", "Shim"),
  version = ProtoField.uint8("gradwire.version", "Version"),
  crc = ProtoField.uint8("gradwire.crc", "CRC-4 of the shim's other 28 bits", base.HEX, nil, 0x0F),
  crc_status = ProtoField.uint8("gradwire.crc.status", "CRC status", base.DEC, checksum_status),
  mode = ProtoField.uint8("gradwire.mode", "Mode", base.DEC, modes, 0x80),
  bound = ProtoField.uint8("gradwire.bound", "Error bound 2^-k, k", base.DEC, nil, 0x3C),
  head = ProtoField.uint8("gradwire.head", "Bytes before the first whole float", base.DEC, nil, 0x03),
  payload = ProtoField.uint16("gradwire.payload", "Original payload (bytes)"),
  edges = ProtoField.bytes("gradwire.edges", "Edges"),
  group = ProtoField.bytes("gradwire.group", "Group"),
  tag = ProtoField.uint8("gradwire.tag", "Tag", base.DEC, tags),
  value = ProtoField.float("gradwire.value", "Value"),
  floats = ProtoField.uint32("gradwire.floats", "Floats"),
  ratio = ProtoField.float("gradwire.ratio", "Payload, original by packed"),
}
packed.fields = p
local bad_shim = ProtoExpert.new("gradwire.bad_shim", "Nothing that a NIC can have packed", expert.group.MALFORMED, expert.severity.ERROR)
local bad_stream = ProtoExpert.new("gradwire.bad_stream", "The stream does not end with its last group", expert.group.MALFORMED,
                                   expert.severity.ERROR)
local version_1 = ProtoExpert.new("gradwire.version_1", "Version 1, a shim without CRC: NICs take version 2 and leave this frame as it is",
                                  expert.group.PROTOCOL, expert.severity.WARN)
packed.experts = {bad_shim, bad_stream, version_1}

local address_fields = {Field.new("ip.src"), Field.new("ip.dst")}

-- A value's number and its 32 bits; payload as a number.
local payload_bytes = {[0] = 0, [1] = 1, [2] = 2, [3] = 4}
local function decode(tag, payload, k, bounded)
  if tag == 0 then return 0, 0 end
  if tag == 3 then return nil, payload end
  local width = tag == 2 and 15 or 7
  local sign, magnitude = bits(payload, width, 1), bits(payload, 0, width)
  local top = 127 -- where the class's magnitudes end: 2^(top - 127)
  if tag == 1 and bounded then top = 127 - k + floor((k + 1) / 2) end
  local word = sign * 2 ^ 31
  if magnitude > 0 then
    local n = 1 -- place of the first one
    while magnitude < 2 ^ (width - n) do n = n + 1 end
    word = word + (top - n) * 2 ^ 23 + magnitude * 2 ^ (23 - (width - n)) - 2 ^ 23
  end
  return (sign == 1 and -1 or 1) * magnitude * 2 ^ (top - 127 - width), word
end

function packed.dissector(tvb, pinfo, root)
  local tcp = pinfo.match_uint == 253
  local tree = root:add(packed, tvb())
  local size = tvb:len()
  pinfo.cols.protocol = tcp and "GW/TCP" or "GW/UDP"
  local header = tcp and 20 or 8
  if size < header then return tree:add_proto_expert_info(bad_shim) end

  tree:add(p.source, tvb(0, 2))
  tree:add(p.destination, tvb(2, 2))
  if tcp then
    header = 4 * floor(tvb(12, 1):uint() / 16)
    tree:add(p.sequence, tvb(4, 4))
    tree:add(p.ack, tvb(8, 4))
    tree:add(p.flags, tvb(13, 1))
    tree:add(p.window, tvb(14, 2))
    if header < 20 or size < header + 4 then return tree:add_proto_expert_info(bad_shim) end
    if header > 20 then tree:add(p.options, tvb(20, header - 20)) end
  else
    tree:add(p.length, tvb(4, 2))
    if size < header + 4 then return tree:add_proto_expert_info(bad_shim) end
  end
  local checksum_range = tcp and tvb(16, 2) or tvb(6, 2)
  local checksum_item = tree:add(p.checksum, checksum_range)

  local first = tvb(header, 1):uint()
  local setting = tvb(header + 1, 1):uint()
  local length = tvb(header + 2, 2):uint()
  local shim = tree:add(p.shim, tvb(header, 4))
  -- Version 1 filled the byte.
  local old = first == 1
  shim:add(p.version, tvb(header, 1), old and 1 or floor(first / 16))
  local crc_right = false
  if old then
    tree:add_proto_expert_info(version_1)
  else
    crc_right = crc4(floor(first / 16) * 2 ^ 24 + tvb(header + 1, 3):uint(), 28) == first % 16
    shim:add(p.crc, tvb(header, 1)):add(p.crc_status, crc_right and 1 or 0):set_generated()
  end
  shim:add(p.mode, tvb(header + 1, 1))
  shim:add(p.bound, tvb(header + 1, 1))
  shim:add(p.head, tvb(header + 1, 1))
  shim:add(p.payload, tvb(header + 2, 2))
  local k, bounded, head = bits(setting, 2, 4), setting >= 128, setting % 4
  local floats = floor((length - head) / 4)
  local tail = (length - head) % 4
  local at = header + 4
  local of_version = old or floor(first / 16) == 2 and crc_right
  local of_datagram = tcp or head == 0 and tvb(4, 2):uint() == 8 + length
  if not of_version or not of_datagram or bits(setting, 6, 1) ~= 0 or k < 1 or k > 14 or floats < 1 or
     at + head + tail > tvb:reported_len() then
    return tree:add_proto_expert_info(bad_shim)
  end
  tree:add(p.floats, floats):set_generated()
  tree:add(p.ratio, length / (tvb:reported_len() - header)):set_generated()
  pinfo.cols.info = string.format("%d > %d  %d floats, 2^-%d %s, %d of %d bytes", tvb(0, 2):uint(), tvb(2, 2):uint(), floats, k,
                                  modes[bounded and 1 or 0], tvb:reported_len() - header, length)

  -- The segment as the far host will get it: its bytes after the transport header.
  local edges = size >= at + head + tail and bytes_of(tvb, at, head + tail)
  local segment = {}
  if edges then
    if head + tail > 0 then tree:add(p.edges, tvb(at, head + tail)) end
    for i = 1, head do segment[i] = edges[i] end
  end
  at = at + head + tail

  local left = floats
  while left > 0 and at + 2 <= size do
    local tag_word = tvb(at, 2):le_uint()
    local count = 2
    for lane = 0, 7 do count = count + payload_bytes[bits(tag_word, 2 * lane, 2)] end
    if at + count > size then break end
    local group = tree:add(p.group, tvb(at, count))
    local place = at + 2
    for lane = 0, math.min(left, 8) - 1 do
      local tag = bits(tag_word, 2 * lane, 2)
      local bytes = payload_bytes[tag]
      local range = bytes > 0 and tvb(place, bytes) or tvb(at, 2)
      local value, word = decode(tag, bytes > 0 and range:le_uint() or 0, k, bounded)
      group:add(p.tag, tvb(at, 2), tag)
      group:add(p.value, range, value or range:le_float())
      for i = 0, 3 do segment[#segment + 1] = bits(word, 8 * i, 8) end
      place = place + bytes
    end
    left = left - math.min(left, 8)
    at = at + count
  end
  local whole = left == 0 and at == tvb:reported_len()
  local cut_by_capture = size < tvb:reported_len()
  if not whole and not cut_by_capture then tree:add_proto_expert_info(bad_stream) end

  local status = 2
  if not tcp and checksum_range:uint() == 0 then
    status = 3
  elseif whole and not cut_by_capture then
    for i = head + 1, head + tail do segment[#segment + 1] = edges[i] end
    local sum = (tcp and 6 or 17) + header + length
    for _, field in ipairs(address_fields) do
      local all = {field()}
      local raw = all[#all].range:bytes()
      sum = add_words(sum, {raw:get_index(0), raw:get_index(1), raw:get_index(2), raw:get_index(3)}, 1, 4)
    end
    sum = add_words(sum, bytes_of(tvb, 0, header), 1, header)
    status = folded(add_words(sum, segment, 1, #segment)) == 0xFFFF and 1 or 0
  end
  checksum_item:add(p.status, status):set_generated()
end

DissectorTable.get("ip.proto"):add(253, packed)
DissectorTable.get("ip.proto"):add(254, packed)

------------------------------------------------------------------------------------------------------------------------------------
local expether = Proto("expether", "ExpEther with gradients")
local types = {[0] = "plain", [1] = "gradient", [2] = "parameter"}
local tlps = {[0x40] = "MWr32", [0x4A] = "CplD", [0x60] = "MWr64"}
local e = {
  version = ProtoField.uint8("expether.version", "Version"),
  type = ProtoField.uint8("expether.type", "Type", base.DEC, types),
  flags = ProtoField.uint8("expether.flags", "Flags", base.HEX),
  tlp3 = ProtoField.bool("expether.flags.tlp_3dw", "TLP header of 3 DW", 8, nil, 0x01),
  complete = ProtoField.bool("expether.flags.complete", "Sum of all workers", 8, nil, 0x02),
  count = ProtoField.uint8("expether.count", "Values"),
  sequence = ProtoField.uint32("expether.sequence", "Sequence number"),
  ack = ProtoField.uint32("expether.ack", "Acknowledgement"),
  worker = ProtoField.uint16("expether.worker", "Worker"),
  group = ProtoField.uint16("expether.group", "Group"),
  iteration = ProtoField.uint32("expether.iteration", "Iteration"),
  checksum = ProtoField.uint16("expether.checksum", "Checksum", base.HEX),
  status = ProtoField.uint8("expether.checksum.status", "Checksum status", base.DEC, checksum_status),
  tlp = ProtoField.bytes("expether.tlp", "PCIe TLP header"),
  tlp_type = ProtoField.uint8("expether.tlp.type", "Format and type", base.HEX, tlps),
  tlp_digest = ProtoField.bool("expether.tlp.td", "Digest follows", 8, nil, 0x80),
  tlp_poisoned = ProtoField.bool("expether.tlp.ep", "Poisoned", 8, nil, 0x40),
  tlp_length = ProtoField.uint16("expether.tlp.length", "Length (DW)"),
  tlp_address = ProtoField.uint64("expether.tlp.address", "Address", base.HEX),
  value = ProtoField.float("expether.value", "Value"),
}
expether.fields = e
local malformed = ProtoExpert.new("expether.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
expether.experts = {malformed}

-- The tvb begins at byte 18 of the frame, after tag and EtherType.
local control_bytes, tlp4_at, tlp3_at, payload_at = 30, 30, 34, 46

function expether.dissector(tvb, pinfo, root)
  local tree = root:add(expether, tvb())
  pinfo.cols.protocol = "ExpEther"
  local function refuse(reason)
    tree:add_proto_expert_info(malformed, "Malformed: " .. reason)
    pinfo.cols.info = "malformed: " .. reason
  end
  if tvb:len() < control_bytes then return refuse("short_frame") end
  local kind, flags, count = tvb(1, 1):uint(), tvb(2, 1):uint(), tvb(3, 1):uint()
  tree:add(e.version, tvb(0, 1))
  tree:add(e.type, tvb(1, 1))
  local flag_tree = tree:add(e.flags, tvb(2, 1))
  flag_tree:add(e.tlp3, tvb(2, 1))
  flag_tree:add(e.complete, tvb(2, 1))
  tree:add(e.count, tvb(3, 1))
  tree:add(e.sequence, tvb(4, 4))
  tree:add(e.ack, tvb(8, 4))
  tree:add(e.worker, tvb(12, 2))
  tree:add(e.group, tvb(14, 2))
  tree:add(e.iteration, tvb(16, 4))
  local right = folded(add_words(0, bytes_of(tvb, 0, control_bytes), 1, control_bytes)) == 0xFFFF
  tree:add(e.checksum, tvb(28, 2)):add(e.status, right and 1 or 0):set_generated()
  if tvb(0, 1):uint() ~= 1 then return refuse("bad_version") end
  if not right then return refuse("bad_checksum") end
  pinfo.cols.info = string.format("%s  worker %d, group %d, iteration %d, sequence %d, ack %d", types[kind] or "type " .. kind,
                                  tvb(12, 2):uint(), tvb(14, 2):uint(), tvb(16, 4):uint(), tvb(4, 4):uint(), tvb(8, 4):uint())
  if kind ~= 1 and kind ~= 2 then return end

  if count < 1 or count > 32 then return refuse("count") end
  if tvb:len() < payload_at then return refuse("short_frame") end
  local short = flags % 2 == 1
  local at = short and tlp3_at or tlp4_at
  local tlp = tree:add(e.tlp, tvb(at, payload_at - at))
  local tlp_type, tlp_bits, length = tvb(at, 1):uint(), tvb(at + 2, 1):uint(), tvb(at + 2, 2):uint() % 1024
  tlp:add(e.tlp_type, tvb(at, 1))
  tlp:add(e.tlp_digest, tvb(at + 2, 1))
  tlp:add(e.tlp_poisoned, tvb(at + 2, 1))
  tlp:add(e.tlp_length, tvb(at + 2, 2), length == 0 and 1024 or length)
  if tlp_type == 0x60 then tlp:add(e.tlp_address, tvb(at + 8, 8)) end
  if tlp_type == 0x40 then tlp:add(e.tlp_address, tvb(at + 8, 4), UInt64.new(tvb(at + 8, 4):uint())) end
  local known = short and (tlp_type == 0x40 or tlp_type == 0x4A) or not short and tlp_type == 0x60
  if not known or tlp_bits >= 128 then return refuse("tlp_type") end
  if bits(tlp_bits, 6, 1) == 1 then return refuse("poisoned") end
  if length ~= count then return refuse("tlp_length") end
  for i = 0, count - 1 do
    if tvb:len() < payload_at + 4 * i + 4 then return refuse("short_frame") end
    tree:add_le(e.value, tvb(payload_at + 4 * i, 4))
  end
end

DissectorTable.get("ethertype"):add(0x88B5, expether)
